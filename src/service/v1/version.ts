import { ApiError } from "../../contract/errors.ts";
import type { Quirks } from "../../contract/quirks.ts";
import { CONTROL_TOKEN_SENT, describeRequirements, type AccessRefusals } from "../authenticate.ts";
import { expectedToken } from "../credentials.ts";
import type { InterfaceVersion } from "../interface-version.ts";
import { readInput } from "./read-input.ts";
import { errorReply, plainNotFoundReply, successReply } from "./reply.ts";

export const v1: InterfaceVersion = {
  name: "v1",
  // As in the service, the scheme is case-sensitive: `bearer` is not accepted.
  bearer: /^Bearer (\S+)$/,
  needsHeaderFirst: false,
  takesOptions: true,
  validatesFirst: (quirks) => quirks.has("validate-first"),
  accessRefusals,
  readInput,
  refuseRequirements(
    { missing },
    { code, message, status } = { code: "INSUFFICIENT_PERMISSIONS" },
  ) {
    const text = describeRequirements(missing);
    const details = { ...(status && { status }), ...(message !== undefined && { hint: text }) };
    return new ApiError(code, message ?? text, details);
  },
  labelsOf: ({ code }) => ({ code, type: undefined }),
  succeed: successReply,
  refuse: errorReply,
  refuseRoute: errorReply,
  refuseRoutePlainly: plainNotFoundReply,
};

function accessRefusals(quirks: Quirks): AccessRefusals {
  const unauthorized = (message: string) => {
    const details = quirks.has("unauthorized-403") ? { status: 403 } : {};
    return new ApiError("UNAUTHORIZED", `authorization: ${message}`, details);
  };
  return {
    missing: () => unauthorized("expected the header, found none"),
    malformed: (authorization) => unauthorized(expectedToken(authorization)),
    unknown: (isControlToken) =>
      unauthorized(isControlToken ? CONTROL_TOKEN_SENT : "the token is not known"),
    workspaceDisabled: () =>
      new ApiError("FORBIDDEN", "authorization: the workspace of the token is disabled"),
    disabled: () => new ApiError("DISABLED", "authorization: the token is disabled"),
    expired: () => new ApiError("EXPIRED", "authorization: the token has expired"),
  };
}
