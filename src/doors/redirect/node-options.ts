/**
 * The flag for NODE_OPTIONS that makes every Node program load a module first. Text in quotes has escapes
 * like JSON.
 */
export function preloadFlag(path: string): string {
  return `--require ${JSON.stringify(path)}`;
}

/** NODE_OPTIONS with the flag once, before all others, so that other modules find connections redirected. */
export function withFlag(nodeOptions: string | undefined, flag: string): string {
  return [flag, withoutFlag(nodeOptions, flag)].join(" ").trim();
}

export function withoutFlag(nodeOptions: string | undefined, flag: string): string | undefined {
  return nodeOptions?.replace(flag, "").trim();
}
