import type { ApiInit } from "../state/records/apis.ts";
import type { IdentityInit } from "../state/records/identities.ts";
import type { KeyInit } from "../state/keys/key.ts";
import type { ProfileName } from "./format.ts";

/** Records to test a certain kind of program with. */
export interface Profile {
  readonly apis: ApiInit[];
  readonly identities: IdentityInit[];
  readonly keys: KeyInit[];
}

/** Numbers of keys at which programs that page make mistakes; the largest page has 100 keys. */
const sizes = [
  { count: 0, name: "No keys" },
  { count: 1, name: "One key" },
  { count: 99, name: "One key less than a page" },
  { count: 100, name: "Exactly one page" },
  { count: 101, name: "One key more than a page" },
  { count: 200, name: "Two full pages" },
  { count: 250, name: "Two and a half pages" },
];

/** The owners of the keys of an API. The first one has more keys than a page if the API has 250. */
const owners = ["org_many_keys", "org_many_keys", "org_many_keys", "org_some_keys", undefined];
/** Identities. One of them has no keys. */
const externalIds = ["org_many_keys", "org_some_keys", "org_without_keys"];

/** Names that are long, in other scripts, written from right to left, or of several code points. */
const names = [
  "Nightly export",
  "夜間エクスポート",
  "Ночной экспорт",
  "التصدير الليلي",
  "Cle\u0301 d’exportation 🔑🇫🇷", // with a combining accent
  "The key of the export that runs each night and that has a very long name ".repeat(3).trim(),
  undefined,
];

/** The records of each profile. They are complete, and need no random numbers. */
export const profiles: Readonly<Record<ProfileName, () => Profile>> = { paging };

/** APIs of various sizes, to test programs that read lists page by page. */
function paging(): Profile {
  const keysOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      apiId: `api_paging_${count}`,
      name: names[index % names.length],
      externalId: owners[index % owners.length],
    }));
  return {
    apis: sizes.map(({ count, name }) => ({ id: `api_paging_${count}`, name })),
    identities: externalIds.map((externalId) => ({ externalId })),
    keys: sizes.flatMap(({ count }) => keysOf(count)),
  };
}
