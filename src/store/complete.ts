/**
 * These members with each of them spelled out, also where its value is undefined. An object of this
 * type does not compile while a member is missing, so a member that is new is forgotten nowhere.
 */
export type Complete<Members> = { [Name in keyof Members]-?: Members[Name] };
