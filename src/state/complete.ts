/**
 * Requires every member, even if its value is undefined. So a literal of this type does not compile
 * without a new member.
 */
export type Complete<Members> = { [Name in keyof Members]-?: Members[Name] };
