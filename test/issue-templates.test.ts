import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";

const FOLDER = ".github/ISSUE_TEMPLATE";

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
}

const names = (await readdir(FOLDER)).filter((name) => name !== "config.yml").sort();
const texts = await Promise.all(names.map((name) => readFile(`${FOLDER}/${name}`, "utf8")));
const forms = names.map((name, index): [string, Form, string] => {
  const text = texts[index] ?? "";
  return [name, parse(text), text];
});

test("there is a form for a bug, for a difference from the service, and for a wish", () => {
  expect(names).toEqual(["bug.yml", "difference.yml", "wish.yml"]);
});

test.each(forms)("%s is a form, whose fields have names of their own", (_, form) => {
  expect(Object.keys(form)).toEqual(expect.arrayContaining(["name", "description", "body"]));
  for (const { type, id, attributes } of form.body) {
    expect(["markdown", "input", "textarea", "checkboxes"]).toContain(type);
    expect(attributes).toHaveProperty(type === "markdown" ? "value" : "label");
    if (type !== "markdown") expect(id).toMatch(/^[a-z-]+$/);
    if (type === "checkboxes") expect(attributes["options"]).not.toEqual([]);
  }
  const ids = form.body.flatMap(({ id }) => id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(forms)(
  "%s reminds to leave out real tokens, and names files that exist",
  (_, _form, text) => {
    expect(text).toContain("leave out real tokens");
    for (const [file] of text.matchAll(/\b[\w/-]+\.md\b/g))
      expect(existsSync(file), file).toBe(true);
  },
);

test("config.yml has members that the host of the repository knows", async () => {
  const config = parse(await readFile(`${FOLDER}/config.yml`, "utf8"));

  expect(["blank_issues_enabled", "contact_links"]).toEqual(
    expect.arrayContaining(Object.keys(config)),
  );
});
