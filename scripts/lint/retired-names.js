import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Names that had a private meaning here, each with its successor, or undefined. They must not come back
 * as identifiers: one word for one thing.
 */
const retired = {
  Progress: "RequestContext (src/cli/progress.ts has the progress of seeding)",
  Ending: "RequestEnd",
  strike: "apply",
  struck: "hits",
  suffer: "delay",
  Moment: "FaultPhase",
  weather: "baseline",
  Worlds: "WorldPool",
  visit: "acquire",
  visitors: "uses",
  guests: "isolatedTokens",
  era: "lifetime, or resets",
  Surroundings: "dependencies",
  Steered: "World",
  steer: "control",
  maySteer: "mayControl",
  foreignness: "originProblem",
  Marks: undefined,
  Turns: undefined,
  Shelf: "CacheBudget",
  Kept: "CacheEntry",
  Pen: undefined,
  WrittenRun: "RenderedChunk",
  WrittenJson: "RawJson",
  StandingKey: "ExistingKey",
  Standing: "existing records",
  salvage: undefined,
  strangers: "the ids of requests, `store.ids`",
  isWhole: "isComplete",
  omitValue: "a `Problem` without `value`",
  Asker: "Abortable",
  isReadByRun: "parsesOwnBody",
  News: "Backlog",
  stretch: "seed",
  startLike: "restartAs",
  listedAtStart: "initial.lists",
  isGenerated: "hasMadeUpKeys",
  requestsKeys: "wantsMadeUpKeys",
};

/** Where a retired name stays: an older format that is still read, or a word of its own. */
const allowed = new Set(["src/cli/progress.ts Progress"]);

const COMMENT_OR_TEXT = /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** Retired names that are used as identifiers in src and test. */
export function retiredNameProblems() {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map(({ name, parentPath }) => join(parentPath, name).replaceAll("\\", "/")),
  );
  if (files.length === 0) return ["retired names: expected files, found none"];
  return files.flatMap((file) => {
    const code = readFileSync(file, "utf8").replaceAll(COMMENT_OR_TEXT, "");
    return Object.entries(retired).flatMap(([name, successor]) => {
      const advice = successor === undefined ? "it has no successor" : `use ${successor}`;
      return new RegExp(`(?<![\\w$])#?${name}(?![\\w$])`).test(code) &&
        !allowed.has(`${file} ${name}`)
        ? [`${file}: ${name}: expected no retired name; ${advice}`]
        : [];
    });
  });
}
