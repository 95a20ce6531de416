import type * as z from "zod/mini";
import { type SunsetVersion, versionAt, versions } from "../contract/version.ts";
import { type MissingRoles, successors } from "../operations/v1/successors.ts";
import { type Mask, maskJson } from "../journal/mask.ts";
import { operationsOf } from "../operations/table.ts";
import { readAs, wireMessage } from "../schema/problems.ts";
import { shorten } from "../base/wording/shorten.ts";
import { type PlainReply, withHeaders } from "./reply.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * If the request is to a version that is or will be switched off, adds the headers that announce it.
 */
export function withSunset(
  reply: PlainReply,
  { operation, request, version }: RequestContext,
  switchedOff: SunsetVersion,
): PlainReply {
  if (version.name !== switchedOff) return reply;
  // Paths without a version are answered as in v1.
  if (operation === undefined && versionAt(request.path) !== switchedOff) return reply;
  const { deprecation, sunset } = versions[switchedOff].sunset;
  return withHeaders(reply, { Deprecation: deprecation, Sunset: sunset });
}

const SHOWN_BODY = 400;

/**
 * A line that shows the call of v2 for a call of v1, and what v2 refuses.
 * @param input the parsed input
 * @param mask masks secrets, also in names of roles and members
 */
export function successorLine(
  name: string,
  input: unknown,
  mask: Mask,
  missingRoles: MissingRoles,
): string {
  const subject = `v1 is switched off in the service; ${name} of v1`;
  const successor = successors[name]?.(input as never, missingRoles);
  const named = successor?.operation ?? name;
  const contract = operationsOf(["v2"]).find((each) => each.contract.name === named)?.contract;
  if (successor === undefined || contract === undefined) return `${subject} has no equal in v2`;
  const body = shorten(JSON.stringify(maskJson(successor.body, mask)), SHOWN_BODY);
  const { problems } = readAs(contract.input as z.core.$ZodType, successor.body);
  const refused = problems.length === 0 ? [] : [`v2 refuses ${wireMessage(problems)}`];
  const call = `is ${contract.method} ${contract.path} ${body} in v2`;
  return [`${subject} ${call}`, ...[...successor.notes, ...refused].map(mask)].join("; ");
}
