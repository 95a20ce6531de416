/** How long a stopped process may take to exit by itself, in milliseconds. */
const EXIT_AFTER = 500;

/** Ends the process although a timer or a connection of a user's module would keep it alive. */
export function exitSoon(): void {
  setTimeout(() => process.exit(), EXIT_AFTER).unref();
}
