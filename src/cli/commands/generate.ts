import { pluralize } from "../../base/wording/text.ts";
import { EXPECTED_ID, isId } from "../../schema/id.ts";
import { createEmulator } from "../../emulator/create-emulator.ts";
import { type Emulator } from "../../emulator/emulator.ts";
import type { Fixture, GenerateRequest } from "../../seed/format.ts";
import { EXPECTED_NAME, formatOf, readFixtureFiles } from "../../seed/files.ts";
import { checkFixtures } from "../../seed/check.ts";
import { nameFixture, sourceOf } from "../../seed/read.ts";
import { atOnce } from "../../base/steps.ts";
import { toBytes, toJsonText } from "../../seed/snapshot.ts";
import { Key } from "../../state/keys/key.ts";
import { throwLines } from "../../base/usage-error.ts";
import { generateOptions, generateVariables, type Settings } from "../options/options.ts";
import { readFlags, readVariables, unknownVariables } from "../options/read-options.ts";
import { report } from "../program.ts";
import { schemaReference, writeNew } from "../files/write-new.ts";

const DEFAULT_COUNT = 100;
const DEFAULT_API = "api_local";

type Options = Settings<typeof generateOptions>;

/**
 * Writes a fixture of generated keys: a complete one, or, with `--fixture`, one that only adds keys to
 * the APIs of other fixtures. The `generate` of a fixture decides which keys, unless an option does.
 * @returns the exit code
 * @throws UsageError for invalid options, and for a file that cannot be written
 */
export async function runGenerate(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const options = readOptions(flags);
  const { apis, count: keys = DEFAULT_COUNT, fixtures: files, out, profile } = options;
  const read = files && (await readFixtureFiles(files));
  // Reports the mistakes of `generate` too, with the name of the file.
  if (read !== undefined) checkFixtures(read);
  const existing = read?.map(withoutGeneratedKeys);
  const made = profile === undefined ? (apis ?? [DEFAULT_API]) : [];
  const fixtures = existing ?? [{ apis: made.map(toApi) }];
  // Read once, so that the last line prints the time that the keys are made for.
  const { now = Date.now(), randomSeed, values } = options;
  const emulator = await createEmulator({ fixtures, now, randomSeed });
  const unusable = (existing && apis ? apis : []).filter(
    (id) => emulator.apis.get(id)?.keyspace !== true,
  );
  const expected = "expected an API of the fixture that can hold keys";
  throwLines(unusable.map((id) => `--api: ${expected}, got ${JSON.stringify(id)}`));
  const before = emulator.snapshot();
  const isFree = apis === undefined && options.count === undefined && profile === undefined;
  const own = isFree ? requestsOf(read, before) : [];
  const other = existing && apis ? spread(keys, apis) : [profile ? { profile } : { count: keys }];
  await emulator.seed({ generate: own.length > 0 ? own : other });

  const plain = addedTo(emulator.snapshot(), existing && before);
  const added = values ? withValues(plain, emulator) : plain;
  const format = options.format ?? (out === undefined ? "json" : formatOf(out));
  const text = await encode({ $schema: schemaReference(out), ...added }, format);
  if (out === undefined) for (const piece of text) process.stdout.write(piece);
  else await writeNew(out, Buffer.concat(atOnce(toBytes(text))));
  const time = new Date(emulator.clock.now()).toISOString();
  const where = out === undefined ? "" : ` to ${out}`;
  process.stderr.write(
    `latchkey: wrote ${pluralize(added.keys?.length ?? 0, "generated key")}${where}; --random-seed ${emulator.randomSeed} --now ${time} makes the same\n`,
  );
  return 0;
}

/** The fixture without `generate`, whose keys are generated again at each start and may differ. */
function withoutGeneratedKeys(fixture: Fixture, index: number): Fixture {
  const name = sourceOf(fixture, index);
  const { generate: _, ...listed } = fixture;
  if (!Array.isArray(fixture.workspaces)) return nameFixture(listed, name);
  const workspaces = fixture.workspaces.map(({ generate: __, ...rest }) => rest);
  return nameFixture({ ...listed, workspaces }, name);
}

function requestsOf(fixtures: readonly Fixture[] = [], { workspace }: Fixture) {
  return fixtures
    .filter((one) => one.workspace?.id === undefined || one.workspace.id === workspace?.id)
    .flatMap(({ generate = [] }) => generate);
}

/** The fixture with the values of its keys instead of their hashes. */
function withValues(fixture: Fixture, { keys }: Emulator): Fixture {
  const shown = fixture.keys?.map(({ hash, id = "", ...members }) => {
    const key = keys.get(id);
    const secret = key && Key.secretOf(key);
    return { id, ...members, ...(typeof secret === "string" ? { key: secret } : { hash }) };
  });
  return { ...fixture, ...(shown && { keys: shown }) };
}

function readOptions(flags: Readonly<Record<string, unknown>>): Options {
  const byVariable = readVariables(process.env, flags, generateVariables);
  report(unknownVariables(process.env).map((line) => `warning: ${line}`));
  const { options, lines } = readFlags(flags, generateOptions);
  const defaults = generateVariables.map((name) => [name, byVariable.options[name]]);
  const invalid = [...invalidApis(options), ...invalidProfile(options), ...invalidFile(options)];
  throwLines([...byVariable.lines, ...lines, ...invalid]);
  return { ...Object.fromEntries(defaults), ...options };
}

function invalidApis({ apis = [] }: Options): string[] {
  const invalid = apis
    .filter((id) => !isId(id))
    .map((id) => `--api: ${EXPECTED_ID}, got ${JSON.stringify(id)}`);
  return new Set(apis).size < apis.length ? [...invalid, "--api: expected each id once"] : invalid;
}

function invalidProfile({ apis, count, profile }: Options): string[] {
  if (profile === undefined || (apis === undefined && count === undefined)) return [];
  return ["--profile: expected neither --api nor --count beside it: it has APIs and counts"];
}

function invalidFile({ format, out }: Options): string[] {
  if (out === undefined) return [];
  const expected = formatOf(out);
  if (expected === undefined) return [`--out: ${EXPECTED_NAME}`];
  if (format === undefined || format === expected) return [];
  return [`--format: expected ${expected}, like the name of the file`];
}

/** Distributes a number of keys evenly over these APIs. The first ones get the remainder. */
function spread(keys: number, apis: readonly string[]): GenerateRequest[] {
  return apis.map((apiId, index) => ({
    apiId,
    count: Math.floor(keys / apis.length) + (index < keys % apis.length ? 1 : 0),
  }));
}

const lists = ["apis", "permissions", "roles", "identities", "keys"] as const;

/**
 * The items of a snapshot, as a fixture that a person could have written.
 * @param before the items that other fixtures have, if there are any
 */
function addedTo(fixture: Fixture, before: Fixture = {}): Fixture {
  const { workspace } = fixture;
  const isAddition = before.workspace !== undefined;
  const added: Record<string, unknown> = isAddition ? { workspace } : {};
  for (const list of lists) {
    const known = new Set(toItems(before[list]).map(({ id }) => id));
    added[list] = toItems(fixture[list]).filter(({ id }) => !known.has(id));
  }
  return isAddition ? { ...added, keys: linkedByExternalId(added) } : added;
}

/** The keys, linked by external id to identities of the other fixtures, whose ids may not be given. */
function linkedByExternalId({ identities = [], keys = [] }: Fixture): Fixture["keys"] {
  const own = new Set(identities.map(({ id }) => id));
  return keys.map(({ identityId, ...key }) => (own.has(identityId) ? { ...key, identityId } : key));
}

function toItems(list: readonly unknown[] = []) {
  return list as readonly { readonly id?: unknown }[];
}

function toApi(id: string) {
  const words = id.replace(/^api_/, "").split(/[_-]+/).filter(Boolean);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
  return { id, ...(name === "" ? {} : { name }), storeEncryptedKeys: true };
}

async function encode(fixture: Fixture, format = "json"): Promise<Iterable<string>> {
  if (format === "json") return toJsonText(fixture);
  const { stringify } = await import("yaml");
  // Aliases would make the file hard to read.
  return [stringify(fixture, { aliasDuplicateObjects: false, lineWidth: 100 })];
}
