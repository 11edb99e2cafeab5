import { RemoteError } from '../../graph-protocol/remote-error.ts';
import { defineError, PublicError } from '../../platform/errors.ts';

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

/** What the project's handlers answer, with the status and headers that they chose. */
export function asRefusal(error: unknown): ProjectRefusal | undefined {
  if (!(error instanceof RemoteError)) return undefined;
  const { status, headers } = error.details;
  if (!Number.isInteger(status) || (status as number) < 400 || (status as number) > 599) return undefined;
  return new ProjectRefusal(status as number, error.message, (headers ?? {}) as Record<string, string>);
}
