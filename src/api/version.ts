/** The constants of each version of the interface, the oldest first. */
export const versions = {
  v1: {
    prefix: "/v1/",
    /** As in the service: 1 MiB. */
    maxBodyBytes: 1_048_576,
  },
  v2: {
    prefix: "/v2/",
    /** As in the service: 10 MiB. */
    maxBodyBytes: 10_485_760,
  },
} as const;

export type VersionName = keyof typeof versions;

export const versionNames = Object.keys(versions) as [VersionName, ...VersionName[]];

/** The version whose prefix a path begins with; undefined if there is none. */
export function versionAt(path: string): VersionName | undefined {
  return versionNames.find((name) => path.startsWith(versions[name].prefix));
}
