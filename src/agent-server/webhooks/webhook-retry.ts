const FIRST_MS = 500;
const GROWTH = 1.3;
const LONGEST_MS = 300_000;
const LONGEST_ASKED_MS = 3_600_000;

/** Milliseconds until the next attempt: the receiver's Retry-After, otherwise an increasing backoff. */
export function retryDelay(attempt: number, retryAfter?: string, now = Date.now()): number {
  const asked = readRetryAfter(retryAfter, now);
  if (asked !== undefined) return Math.min(asked, LONGEST_ASKED_MS);
  return Math.round(Math.min(FIRST_MS * GROWTH ** (attempt - 1), LONGEST_MS));
}

/** Parses seconds or a date; undefined if it is neither. */
function readRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
