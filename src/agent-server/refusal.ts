import { RemoteError } from '../graph-protocol/remote-error.ts';
import { defineError, PublicError } from '../platform/errors.ts';

export const Forbidden = defineError('Forbidden', 403, (detail: string = 'Forbidden') => detail);

/** A refusal from the project's own code, with its status, message and headers. */
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

/** Converts an error from the project's handlers, keeping the status and headers they chose. */
export function asRefusal(error: unknown): ProjectRefusal | undefined {
  if (!(error instanceof RemoteError)) return undefined;
  const { status, headers } = error.details;
  if (!Number.isInteger(status) || (status as number) < 400 || (status as number) > 599) return undefined;
  return new ProjectRefusal(status as number, error.message, (headers ?? {}) as Record<string, string>);
}
