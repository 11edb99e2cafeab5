/** The other side answered a call with an error, or is gone. */
export class RemoteError extends Error {
  /** Class of the error there. */
  override readonly name: string;
  /** What else it says: `status`, `headers`, `left`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor({ error, message, ...details }: Record<string, unknown>) {
    super(typeof message === 'string' ? message : 'no message');
    this.name = typeof error === 'string' ? error : 'Error';
    this.details = details;
  }
}

/** The connection ended before the call did. */
export class ConnectionLost extends RemoteError {
  constructor(why: string) {
    super({ error: 'ConnectionLost', message: why });
  }
}
