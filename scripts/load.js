import { build } from "esbuild";

/**
 * Imports source files and returns all of their exports as one object. They are bundled together:
 * Node.js cannot run TypeScript in every supported version, and the files have to share their modules,
 * like the registry with the descriptions of schemas.
 */
export async function load(files) {
  const { outputFiles } = await build({
    stdin: {
      contents: files.map((file) => `export * from "./${file}";`).join("\n"),
      resolveDir: process.cwd(),
    },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "error",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}
