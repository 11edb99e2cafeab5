// Error codes of the distribution specification, with their status.
const STATUSES = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DENIED: 403,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 400,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_UNKNOWN: 404,
  RANGE_INVALID: 416,
  SIZE_INVALID: 413,
  TOOMANYREQUESTS: 429,
  UNAUTHORIZED: 401,
  UNSUPPORTED: 405,
} as const;

/** Error response of the registry, `{errors: [{code, message, detail}]}` (OCI distribution 1.1). */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly status: number;
  readonly code: keyof typeof STATUSES;
  readonly headers: Record<string, string>;

  constructor(code: keyof typeof STATUSES, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.code = code;
    this.status = STATUSES[code];
    this.headers = headers;
  }
}
