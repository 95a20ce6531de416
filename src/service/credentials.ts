/** What a request says of who sent it, read once. */
export interface Credentials {
  /** The `Authorization` header, as it was sent. */
  readonly authorization: string | undefined;
  /** The bearer token in it; undefined where there is none. */
  readonly token: string | undefined;
}

/** The service reads the scheme to the letter: `bearer` is not `Bearer`. */
const BEARER = /^Bearer (\S+)$/;

export function readCredentials(request: {
  header(name: string): string | undefined;
}): Credentials {
  const authorization = request.header("authorization");
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  return { authorization, token };
}

export const NO_CREDENTIALS: Credentials = { authorization: undefined, token: undefined };

/** Which of the ways in which a header can be no bearer token this is; it may hold a secret. */
export function expectedToken(authorization: string): string {
  return /^Bearer\s+\S/.test(authorization)
    ? "expected `Bearer <token>`, got a token that contains a space"
    : "expected `Bearer <token>`";
}
