/** The constants of each version of the interface, the oldest first. */
export const versions = {
  v1: {
    prefix: "/v1/",
    /** As in the service: 1 MiB. */
    maxBodyBytes: 1_048_576,
    sunset: {
      /** When the service deprecated it, in the form of RFC 9745. */
      deprecation: "@1753833600",
      /** When the service switched it off, in the form of RFC 8594. */
      sunset: "Thu, 01 Jan 2026 00:00:00 GMT",
    },
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

/** The versions that the service has switched off. */
export const sunsetVersions = ["v1"] as const satisfies readonly VersionName[];
export type SunsetVersion = (typeof sunsetVersions)[number];
