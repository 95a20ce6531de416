/** Names of headers that are for one connection, which a proxy does not pass on (RFC 9110, 7.6.1). */
export const HOP_BY_HOP =
  /^(?:connection|expect|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|upgrade)$/i;
