/**
 * Tells scripts that the service is up. Only v2 has it here. It is no operation: it needs no token, no
 * fault hits it, and it is in neither log nor journal.
 */
export const liveness = { method: "GET", path: "/v2/liveness" } as const;
