/** `1 key`, `2 keys` */
export function pluralize(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
