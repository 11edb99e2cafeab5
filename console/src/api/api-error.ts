/** One validation error of a 422. */
export interface Fault {
  loc: (string | number)[];
  msg: string;
  type?: string;
}

/** An error response with the API's message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Only for 422. */
  readonly faults: Fault[];
  /** Whether the error comes from an agent rather than the platform. */
  readonly isOfAgent: boolean;
  constructor(status: number, message: string, { faults = [] as Fault[], isOfAgent = false } = {}) {
    super(message);
    this.status = status;
    this.faults = faults;
    this.isOfAgent = isOfAgent;
  }
}

/** Whether the session is over. A 401 from an agent only concerns that agent. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && !error.isOfAgent;

/** Whether the deployment exists but no revision serves requests. */
export const isNotRunning = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 503 && /no active revision/.test(error.message);

/** Parses `{"detail": "…"}` or the list of validation errors of a 422. */
export function refusal(status: number, text: string, headers = new Headers()): ApiError {
  // The gateway adds the revision to agents' responses, but not to its own.
  const isOfAgent = headers.has('x-slipway-revision');
  let detail: unknown;
  try {
    detail = (JSON.parse(text) as { detail?: unknown }).detail;
  } catch {
    // Not JSON, for example from a proxy.
  }
  if (Array.isArray(detail)) {
    const faults = (detail as Fault[]).map((fault) => ({ ...fault, msg: inWords(fault.msg) }));
    return new ApiError(status, faults.map(({ msg }) => msg).join('; '), { faults, isOfAgent });
  }
  if (typeof detail !== 'string')
    return new ApiError(status, `The server responded with ${status}`, { isOfAgent });
  return new ApiError(status, detail, { faults: status === 422 ? faultsOf(detail) : [], isOfAgent });
}

// Parses messages such as `body.name must be string; body.age is required` (src/platform/schema.ts).
const PLACE = /^(body|query|params)(?:\.(\S+))? (.+)$/;

function faultsOf(detail: string): Fault[] {
  const found = detail.split('; ').map((part) => PLACE.exec(part));
  // Shows messages in another format unchanged.
  if (found.includes(null)) return [];
  return found.map((match) => ({
    loc: [match![1]!, ...(match![2]?.split('.') ?? [])],
    msg: inWords(match![3]!),
  }));
}

/** Rephrases validation messages for people. */
const inWords = (msg: string): string =>
  msg.replace(/^(?:Value )?must NOT have fewer than 1 (?:characters|items)$/, 'must not be empty');
