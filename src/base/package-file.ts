/**
 * The place where a file of the package should be. A bundler may have put this code elsewhere, so ask
 * only when the file is needed, and look whether it is there. The relative URL is the same from
 * `src/base` and from the folders of `dist`.
 * @param path from the folder of the package
 * @returns undefined if this code does not know its own place, as in CommonJS that esbuild made
 */
export function packageFile(path: string): URL | undefined {
  const here: string | undefined = import.meta.url;
  if (!here?.startsWith("file:")) return undefined;
  // Not `new URL(…)`: bundlers would copy the file, and Turbopack (Next.js 16.4) would return the first file of
  // the package.
  return Reflect.construct(URL, [`../../${path}`, here]);
}

/** The message for a file of the package that is needed but missing. */
export function missingFile(path: string): string {
  const place = packageFile(path);
  const where = place === undefined ? "" : ` at ${place.href}`;
  return `expected the file ${path} of latchkey${where}, found none. Bundlers leave it behind, so keep latchkey out of the bundle: serverExternalPackages: ["latchkey"] in Next.js, --external:latchkey in esbuild, ssr.external in Vite, externals in webpack`;
}
