import { build } from "esbuild";

/**
 * What modules of the sources export, as one object: Node.js cannot read them as they are, and read
 * apart they would not share what they hold, like the descriptions of schemas.
 */
export async function load(files) {
  const { outputFiles } = await build({
    stdin: {
      contents: files.map((file) => `export * from "./${file}";`).join("\n"),
      resolveDir: process.cwd(),
    },
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}
