/** One fault of a 422: where it is, and what it is. */
export interface Fault {
  loc: (string | number)[];
  msg: string;
  type?: string;
}

/** What an API refused, in its own words. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Of a 422; empty for all else. */
  readonly faults: Fault[];
  /** An agent refused, not the platform. */
  readonly isOfAgent: boolean;
  constructor(status: number, message: string, { faults = [] as Fault[], isOfAgent = false } = {}) {
    super(message);
    this.status = status;
    this.faults = faults;
    this.isOfAgent = isOfAgent;
  }
}

/** The session is over. An agent's own 401 is about that agent alone. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401 && !error.isOfAgent;

/** The deployment is there, and no revision of it serves: what was asked has nobody to answer it. */
export const isNothingServing = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 503 && /no revision that serves/.test(error.message);

/** `{"detail": "…"}`, or the list of faults of a 422. */
export function refusal(status: number, text: string, headers = new Headers()): ApiError {
  // The gateway names the revision in what it forwards, and not in its own refusals of a caller.
  const isOfAgent = headers.has('x-slipway-revision');
  let detail: unknown;
  try {
    detail = (JSON.parse(text) as { detail?: unknown }).detail;
  } catch {
    // A proxy answered, and not in JSON.
  }
  if (Array.isArray(detail)) {
    const faults = (detail as Fault[]).map((fault) => ({ ...fault, msg: inWords(fault.msg) }));
    return new ApiError(status, faults.map(({ msg }) => msg).join('; '), { faults, isOfAgent });
  }
  if (typeof detail !== 'string') return new ApiError(status, `The server answered ${status}`, { isOfAgent });
  return new ApiError(status, detail, { faults: status === 422 ? faultsOf(detail) : [], isOfAgent });
}

// `body.name must be string; body.age is required`: what says the same in one text (src/platform/schema.ts).
const PLACE = /^(body|query|params)(?:\.(\S+))? (.+)$/;

function faultsOf(detail: string): Fault[] {
  const found = detail.split('; ').map((part) => PLACE.exec(part));
  // One that is told otherwise is shown as it is, whole.
  if (found.includes(null)) return [];
  return found.map((match) => ({
    loc: [match![1]!, ...(match![2]?.split('.') ?? [])],
    msg: inWords(match![3]!),
  }));
}

/** What a person is told of an empty field. */
const inWords = (msg: string): string =>
  msg.replace(/^(?:Value )?must NOT have fewer than 1 (?:characters|items)$/, 'must not be empty');
