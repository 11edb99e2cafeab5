import { InvalidProject } from '../graph-protocol/invalid-project.ts';
import { RemoteError } from '../graph-protocol/remote-error.ts';
import { PublicError } from '../platform/errors.ts';
import { publicFailure } from '../platform/redaction/public-failure.ts';

/** The run was cancelled. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
  /** Whether its nodes had returned by then. */
  readonly left: boolean;
  constructor(left: boolean) {
    super('The call was cancelled');
    this.left = left;
  }
}

/** An HTTP exception of the project's handlers. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly headers: Record<string, string>;
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * Converts the SDK's HTTPException to a Refused (contract §13.1). Detected by shape, because the project has its own
 * copy of the SDK. Undefined for anything else.
 */
export function asRefused(thrown: unknown): Refused | undefined {
  const { status, message, headers } = (thrown ?? {}) as {
    status?: unknown;
    message?: unknown;
    headers?: ConstructorParameters<typeof Headers>[0];
  };
  if (!Number.isInteger(status) || (status as number) < 400 || (status as number) > 599) return undefined;
  const own = Object.fromEntries(new Headers(headers ?? {}));
  return new Refused(status as number, typeof message === 'string' ? message : '', own);
}

/** An error as sent to the server: its class, and its message only if callers may see it. */
export function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof Cancelled) return { error: error.name, message: error.message, left: error.left };
  if (error instanceof InvalidProject) return { error: error.name, message: error.message };
  if (error instanceof Refused || error instanceof PublicError)
    return {
      error: error.name,
      message: error.message,
      status: error.status,
      ...(error.headers && { headers: error.headers }),
    };
  if (error instanceof RemoteError) return { error: error.name, message: error.message, ...error.details };
  return { ...publicFailure(error) };
}
