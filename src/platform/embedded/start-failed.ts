/**
 * The embedded services could not start. The message is one line for the operator: what failed, why, and how to fix
 * it.
 */
export class EmbeddedStartFailed extends Error {
  override readonly name = 'EmbeddedStartFailed';
}

/** The port was taken between our check and the child's bind. */
export class PortTaken extends EmbeddedStartFailed {
  constructor(service: string, port: number) {
    super(`Port ${port} for ${service} is taken by another process. Free it, or choose another port.`);
  }
}

/** The message of any thrown value as one line. */
export function oneLine(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  // fetch only says "fetch failed"; the reason is in the cause.
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const text = message.includes(code) ? message : `${message} (${code})`;
  return text.replaceAll(/\s*\n\s*/g, '; ').trim();
}
