/**
 * Requires every member, even if its value is undefined. So an object of this type does not compile
 * without a new member, and none is forgotten.
 */
export type Complete<Members> = { [Name in keyof Members]-?: Members[Name] };
