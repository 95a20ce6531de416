import * as z from "zod/mini";
import { isRecord } from "../base/json.ts";
import { lazily } from "../base/lazily.ts";
import * as f from "./fields.ts";

type Makers = Readonly<Record<string, () => z.ZodMiniType>>;

/** Members of an object, which are optional. The schema of each is made when it is first needed. */
type LazyMembers<Of extends Makers> = {
  readonly [Name in keyof Of]: () => z.ZodMiniOptional<ReturnType<Of[Name]>>;
};

export function lazyMembers<Of extends Makers>(makers: Of): LazyMembers<Of> {
  const members = Object.entries(makers).map(([name, make]) => [
    name,
    lazily(() => z.optional(make())),
  ]);
  return Object.fromEntries(members) as LazyMembers<Of>;
}

/** The options of a function: what these members take. */
export type OptionsOf<Members extends Makers> = {
  readonly [Name in keyof Members]?: z.input<ReturnType<Members[Name]>>;
};

type ShapeOf<Members extends Makers> = {
  readonly [Name in keyof Members]: ReturnType<Members[Name]>;
};

export function shapeOf<Members extends Makers>(members: Members): ShapeOf<Members> {
  return toShape(members, () => true);
}

/** The same for reading one input, without the schemas of members that the input does not have. */
export function shapeFor<Members extends Makers>(
  members: Members,
  input: unknown,
): ShapeOf<Members> {
  return toShape(members, (name) => isRecord(input) && input[name] !== undefined);
}

/** An object. The schemas of its members are made when one of them is first needed. */
export function lazyObjectOf<Shape extends z.core.$ZodShape>(make: () => Shape) {
  const shape = lazily(make);
  return new z.ZodMiniObject({
    type: "object",
    get shape() {
      return shape();
    },
    error: () => f.EXPECTED_OBJECT,
  }) as z.ZodMiniObject<Shape, z.core.$strip>;
}

const anything = lazily(() => z.optional(z.unknown()));

function toShape<Members extends Makers>(members: Members, isNeeded: (name: string) => boolean) {
  const shape = Object.entries(members).map(([name, schema]) => [
    name,
    isNeeded(name) ? schema() : anything(),
  ]);
  return Object.fromEntries(shape) as ShapeOf<Members>;
}
