/** Operations of v2 that are known by name, in groups of which latchkey serves nothing. */
const KNOWN = /^analytics\.get(?:Verifications|Ratelimits|RuntimeLogs|GatewayRequests)$/;

/** All groups of v2 of which latchkey serves nothing. */
const GROUP =
  /^(?:analytics|apps|deploy|deployments|domains|environments|gateway|github|logdrains|portal|projects|rootKeys|workspace)\.[A-Za-z]+$/;

/** Operations of v1 that v2 does not have under another name. */
const OF_V1 = /^(?:(?:analytics|keys)\.getVerifications|liveness)$/;

/** Says whether the service has an operation at a path that latchkey does not serve. */
export function aboutService(path: string): string {
  if (path === "/openapi.yaml" || path === "/reference") return "The service has it.";
  const [, version, name = ""] = /^\/(v[12])\/(.*)$/.exec(path) ?? [];
  if (version === "v1") {
    return OF_V1.test(name) ? "v1 of the service had it." : "v1 of the service did not have it.";
  }
  if (version === "v2" && KNOWN.test(name)) return "The service has it.";
  if (version === "v2" && GROUP.test(name)) return "The service has this group of operations.";
  return "The service does not have it.";
}
