import { createHmac } from 'node:crypto';

const TIMEOUT_MS = 5_000;

/**
 * Where feedback is collected, and the key that may create feedback URLs there. The platform sets both for its agents.
 */
function collector(env = process.env): { url: string; endpoint: string; key: string } | undefined {
  const setting = (name: string) => env[`LANGSMITH_${name}`] ?? env[`LANGCHAIN_${name}`];
  const [url, endpoint, key] = [env['SLIPWAY_FEEDBACK_URL'], setting('ENDPOINT'), setting('API_KEY')];
  return url && endpoint && key ? { url, endpoint, key } : undefined;
}

/** A UUID that can't be guessed without the key and is the same in every process. */
function tokenOf(key: string, runId: string, feedbackKey: string): string {
  const hex = createHmac('sha256', key).update(`feedback/${runId}/${feedbackKey}`).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

/**
 * URLs, by feedback key, that accept feedback on a run without further authentication (contract §5.3). Undefined if
 * runs are not traced to a platform.
 */
export function feedbackUrls(runId: string, keys: string[]): Record<string, string> | undefined {
  const found = collector();
  if (!found) return undefined;
  const base = `${found.url.replace(/\/+$/, '')}/api/v1/feedback/tokens`;
  return Object.fromEntries(keys.map((name) => [name, `${base}/${tokenOf(found.key, runId, name)}`]));
}

/** Activates a run's feedback URLs. Returns false if that fails. */
export async function openFeedback(runId: string, keys: string[]): Promise<boolean> {
  const found = collector();
  if (!found || keys.length === 0) return false;
  const tokens = keys.map((name) => ({
    id: tokenOf(found.key, runId, name),
    run_id: runId,
    feedback_key: name,
  }));
  const answer = await fetch(`${found.endpoint.replace(/\/+$/, '')}/feedback/tokens`, {
    method: 'POST',
    headers: { 'x-api-key': found.key, 'content-type': 'application/json' },
    body: JSON.stringify(tokens),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return answer.ok;
}
