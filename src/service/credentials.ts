/** The credentials in the `Authorization` header of a request. */
export interface Credentials {
  /** The `Authorization` header, as it was sent. */
  readonly authorization: string | undefined;
  /** The bearer token in it; undefined if the header is absent or of another form. */
  readonly token: string | undefined;
}

/** @param bearer matches a header with a token, which is the first group */
export function readCredentials(
  request: { header(name: string): string | undefined },
  bearer: RegExp,
): Credentials {
  const authorization = request.header("authorization");
  const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
  return { authorization, token };
}

export const NO_CREDENTIALS: Credentials = { authorization: undefined, token: undefined };

/** Says why a header has no bearer token, without quoting it: it may contain a secret. */
export function expectedToken(authorization: string): string {
  return /^Bearer\s+\S/.test(authorization)
    ? "expected `Bearer <token>`, got a token that contains a space"
    : "expected `Bearer <token>`";
}
