import * as z from "zod/mini";
import type { Clock } from "../time/clock.ts";
import { type OnChange, RecordSet } from "./record-set.ts";
import { SmallTable } from "../tables/table.ts";
import { UsageError } from "../../base/usage-error.ts";
import * as f from "../../schema/fields.ts";
import { frozenNames } from "../../base/json.ts";
import { lazily } from "../../base/lazily.ts";
import { MAX_NAMES, roleOrPermissionName, time } from "../vocabulary.ts";

/** Visible ASCII only, because the token is sent in a header. */
const TOKEN = /^[!-~]{1,512}$/;
export const EXPECTED_TOKEN = "expected a token of 1 to 512 visible ASCII characters";

/** Whether the value is a valid token. */
export function isToken(value: string): boolean {
  return TOKEN.test(value);
}

const token = lazily(() =>
  z.string({ error: EXPECTED_TOKEN }).check(z.regex(TOKEN, { error: EXPECTED_TOKEN })),
);

export const accessTokenInit = lazily(() =>
  f.objectOf({
    token: f.described(token(), "As in `Authorization: Bearer <token>`."),
    permissions: z.optional(
      f.described(
        f.listOf(roleOrPermissionName(), "permission names", { max: MAX_NAMES }),
        "Matched exactly; `*` alone grants everything, and `latchkey.control` the control routes. Default: none.",
      ),
    ),
    enabled: f.optional(f.flag(), "Whether the token works. Default: true."),
    expires: z.optional(time("When the token expires; 0: never.")),
  }),
);
export type AccessTokenInit = z.infer<ReturnType<typeof accessTokenInit>>;
/** The same as a person writes it. */
export type AccessTokenInput = z.input<ReturnType<typeof accessTokenInit>>;

/** A root token. It determines the workspace of a request and what the request may do. */
export class AccessToken {
  readonly token: string;
  readonly permissions: readonly string[];
  readonly enabled: boolean;
  readonly expires: number | undefined;

  constructor(init: AccessTokenInit) {
    this.token = init.token;
    this.permissions = frozenNames(init.permissions);
    this.enabled = init.enabled ?? true;
    this.expires = init.expires || undefined;
  }
}

export type Tokens = RecordSet<AccessTokenInput, AccessToken, AccessTokenInit>;

const EXPECTED_OTHER_TOKEN =
  "token: token: expected a token that is not the control token, because that one may not call operations; use a different token, or change the control token";

/** @param controlToken refused as a record, because a listed token may call operations */
export function createTokens(
  controlToken: string | undefined,
  clock: Clock,
  onChange: OnChange<AccessToken>,
): Tokens {
  return new RecordSet(new SmallTable<AccessToken>(["token"]), {
    noun: "token",
    schema: accessTokenInit,
    check: ({ token }) => {
      if (token === controlToken) throw new UsageError(EXPECTED_OTHER_TOKEN);
    },
    isSecret: true,
    type: AccessToken,
    build: (init) => new AccessToken(init),
    onChange,
    now: () => clock.now(),
  });
}
