/** The embedded start cannot go on. The message is one line for the operator: what, why, and what would do. */
export class EmbeddedStartFailed extends Error {
  override readonly name = 'EmbeddedStartFailed';
}

/** A child could not bind its port: somebody took it between our look and the child's start. */
export class PortTaken extends EmbeddedStartFailed {
  constructor(service: string, port: number) {
    super(`Port ${port} for ${service} is taken by another process: free it, or choose another port.`);
  }
}

/** The text of whatever was thrown, in one line. */
export function oneLine(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  // fetch says no more than "fetch failed"; why is in the cause.
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const text = message.includes(code) ? message : `${message} (${code})`;
  return text.replaceAll(/\s*\n\s*/g, '; ').trim();
}
