import { ApiError } from "../../contract/errors.ts";
import { describeRequirements } from "../admit.ts";
import {
  authenticate,
  BEARER,
  CONTROL_TOKEN_SENT,
  expectedToken,
  type AccessRefusals,
} from "../credentials.ts";
import type { InterfaceVersion } from "../interface-version.ts";
import { readInput } from "./read-input.ts";
import { errorReply, plainNotFoundReply, successReply } from "./reply.ts";

export const v1: InterfaceVersion = {
  name: "v1",
  bearer: BEARER,
  takesOptions: true,
  check(arrival) {
    const { quirks } = arrival;
    const refusals = quirks.has("unauthorized-403") ? refusalsWith403 : accessRefusals;
    if (quirks.has("validate-first")) {
      const input = readInput(arrival);
      return { access: authenticate(arrival, refusals), input };
    }
    const access = authenticate(arrival, refusals);
    return { access, input: readInput(arrival) };
  },
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

function refusalsWith(details: { readonly status?: number }): AccessRefusals {
  const unauthorized = (message: string) =>
    new ApiError("UNAUTHORIZED", `authorization: ${message}`, details);
  return {
    missing: () => unauthorized("expected the header, found none"),
    malformed: (authorization) => unauthorized(expectedToken(authorization)),
    unknown: (is) =>
      unauthorized(is === "control token" ? CONTROL_TOKEN_SENT : "the token is not known"),
    workspaceDisabled: () =>
      new ApiError("FORBIDDEN", "authorization: the workspace of the token is disabled"),
    disabled: () => new ApiError("DISABLED", "authorization: the token is disabled"),
    expired: () => new ApiError("EXPIRED", "authorization: the token has expired"),
  };
}

const accessRefusals = refusalsWith({});
/** For the quirk `unauthorized-403`. */
const refusalsWith403 = refusalsWith({ status: 403 });
