import { ApiError } from "../../contract/errors.ts";
import { problemTypeOf, toProblem, toRouteProblem } from "../../contract/v2/problem.ts";
import { describeRequirements, shownPermissions } from "../admit.ts";
import { authenticate, CONTROL_TOKEN_SENT, type AccessRefusals } from "../credentials.ts";
import type { Arrival, InterfaceVersion } from "../interface-version.ts";
import { readInput } from "./read-input.ts";
import { problemReply, successReply } from "./reply.ts";

export const v2: InterfaceVersion = {
  name: "v2",
  // As in the service, white space around the token does not count.
  bearer: /^Bearer \s*(\S(?:.*\S)?)\s*$/,
  takesOptions: false,
  check(arrival) {
    requireHeader(arrival);
    const input = readInput(arrival);
    return { access: authenticate(arrival, accessRefusals), input };
  },
  refuseRequirements({ demanded, missing }, refusal) {
    if (refusal?.message !== undefined) {
      const { code, message, type } = refusal;
      return new ApiError(code, message, { type, hint: describeRequirements(missing) });
    }
    // As in the service, those that the token meets are named too.
    const alternatives = demanded.map(shownPermissions);
    const all = alternatives.map((permissions) => permissions.join(" or ")).join(" and ");
    const text =
      alternatives.flat().length === 1
        ? `Missing permission: '${all}'`
        : `Missing one of these permissions: ${all}`;
    return new ApiError("INSUFFICIENT_PERMISSIONS", text);
  },
  labelsOf: (refusal, isRouted) => ({
    code: undefined,
    type: isRouted ? problemTypeOf(refusal) : undefined,
  }),
  succeed: successReply,
  refuse: (requestId, refusal, { header }) =>
    problemReply(toProblem(refusal, requestId), refusal, header("accept")),
  refuseRoute: (requestId, refusal, { header }) =>
    problemReply(toRouteProblem(refusal, requestId), refusal, header("accept")),
  refuseRoutePlainly(requestId, refusal, { header }) {
    const { headers, message: hint, status } = refusal;
    const plain = new ApiError(refusal.code, routeTexts[status === 405 ? 405 : 404], {
      headers,
      hint,
    });
    return problemReply(toRouteProblem(plain, requestId), plain, header("accept"));
  },
};

/** An empty header counts as none. */
function requireHeader({ credentials, operation }: Arrival): void {
  if (!operation.contract.isOpen && !credentials.authorization) throw accessRefusals.missing();
}

/** The texts of the service, for the quirk `plain-404`. */
const routeTexts = {
  404: "The requested endpoint does not exist.",
  405: "The request method is not supported for this endpoint.",
} as const;

const INVALID_TOKEN = "The provided root key is invalid.";
const KEY_SENT = "this is the value of a key; send a listed token, as the root key";

/** The texts are those of the service, letter for letter. */
const accessRefusals: AccessRefusals = {
  missing: () =>
    new ApiError("BAD_REQUEST", "Authorization header for 'bearer' scheme", {
      violations: [
        {
          location: "security",
          message: "Authorization header was not found",
          fix: "Add an 'Authorization' header to this request",
        },
      ],
    }),
  malformed: () =>
    new ApiError(
      "BAD_REQUEST",
      "You must provide a valid root key in the Authorization header in the format 'Bearer ROOT_KEY'. Your authorization header is missing the 'Bearer ' prefix.",
      { type: "unkey/authentication/malformed" },
    ),
  unknown: (is) =>
    is === "key"
      ? new ApiError("UNAUTHORIZED", INVALID_TOKEN, { hint: KEY_SENT })
      : new ApiError("UNAUTHORIZED", `${INVALID_TOKEN} We could not find the requested key.`, {
          hint: is === "control token" ? CONTROL_TOKEN_SENT : undefined,
        }),
  workspaceDisabled: () => new ApiError("FORBIDDEN", `${INVALID_TOKEN} The workspace is disabled.`),
  disabled: () => new ApiError("DISABLED", `${INVALID_TOKEN} The key is disabled.`),
  expired: (expires) =>
    new ApiError("EXPIRED", `${INVALID_TOKEN} the key has expired on ${toSeconds(expires)}`, {
      type: "unkey/authorization/forbidden",
    }),
};

/** A time in the format of RFC 3339, without milliseconds. */
function toSeconds(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
