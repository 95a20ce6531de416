/** Text with the escapes of URLs, forms and JSON decoded. Invalid escapes stay. */
export function decodeText(text: string): string {
  return decodePercent(decodeEscapes(text).replaceAll("+", " "));
}

/** Text with percent-encoding decoded. Invalid escapes stay. */
export function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escape) => {
    try {
      return decodeURIComponent(escape);
    } catch {
      return escape;
    }
  });
}

function decodeEscapes(text: string): string {
  return text.replace(/\\(?:u[0-9a-f]{4}|["\\/bfnrt])/gi, (escape) => {
    try {
      return String(JSON.parse(`"${escape}"`));
    } catch {
      return escape;
    }
  });
}
