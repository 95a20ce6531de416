/**
 * The part of a zod schema's type that latchkey uses. Schemas of every zod 4 have it. The types of zod
 * itself contain its minor version, so they would refuse schemas of another 4.x.
 */
export interface Schema<Type extends string = string> {
  readonly _zod: {
    readonly def: { readonly type: Type };
    readonly input: unknown;
    readonly output: unknown;
  };
}
