/** What we use of a schema's type: that of any zod 4 has it, and zod tells its own minors apart. */
export interface Schema<Type extends string = string> {
  readonly _zod: {
    readonly def: { readonly type: Type };
    readonly input: unknown;
    readonly output: unknown;
  };
}
