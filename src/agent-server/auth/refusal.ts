import { defineError, PublicError } from '../../platform/errors.ts';

export const Unauthorized = defineError('Unauthorized', 401, (detail: string = 'Unauthorized') => detail);
export const Forbidden = defineError('Forbidden', 403, (detail: string = 'Forbidden') => detail);

/** What the project's own code answers: status, message and headers are its own. */
export class ProjectRefusal extends PublicError {
  override readonly name = 'ProjectRefusal';
  readonly status: number;
  override readonly headers: Record<string, string>;
  constructor(status: number, message: string, headers: Record<string, string>) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * The SDK's HTTPException as an answer of ours (contract §13.1). It is known by its shape: the project has its own
 * copy of the SDK. Undefined for anything else.
 */
export function asRefusal(thrown: unknown): ProjectRefusal | undefined {
  const { status, message, headers } = (thrown ?? {}) as {
    status?: unknown;
    message?: unknown;
    headers?: ConstructorParameters<typeof Headers>[0];
  };
  if (!Number.isInteger(status) || (status as number) < 400 || (status as number) > 599) return undefined;
  const own = Object.fromEntries(new Headers(headers ?? {}));
  return new ProjectRefusal(status as number, typeof message === 'string' ? message : '', own);
}
