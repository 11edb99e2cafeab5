import { createHmac } from 'node:crypto';

const TIMEOUT_MS = 5_000;

/** URLs that accept feedback on a run, by feedback key. */
export type FeedbackUrls = Record<string, string>;

interface Collector {
  endpoint: string;
  key: string;
  /** Public URL of the platform that deployed this agent, if one did. */
  url: string | undefined;
}

/** Creates URLs through which anyone who has them can give feedback on a run (contract §5.3). */
export class FeedbackLinks {
  readonly #collector: Collector | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#collector = collectorOf(env);
  }

  /** URLs of a run that ended; undefined if nothing collects feedback. */
  async again(runId: string, keys: string[]): Promise<FeedbackUrls | undefined> {
    return this.#known(runId, keys) ?? (await this.open(runId, keys).catch(() => undefined));
  }

  /** URLs that follow from the settings, as on a platform; other collectors choose theirs. */
  #known(runId: string, keys: string[]): FeedbackUrls | undefined {
    if (!this.#collector?.url) return undefined;
    const base = `${trimmed(this.#collector.url)}/api/v1/feedback/tokens`;
    const { key } = this.#collector;
    return Object.fromEntries(keys.map((name) => [name, `${base}/${tokenOf(key, runId, name)}`]));
  }

  /** Creates the URLs of a run; undefined if the collector refuses. */
  async open(runId: string, keys: string[]): Promise<FeedbackUrls | undefined> {
    if (!this.#collector || keys.length === 0) return undefined;
    const { endpoint, key } = this.#collector;
    const names = [...new Set(keys)];
    const tokens = names.map((name) => ({
      id: tokenOf(key, runId, name),
      run_id: runId,
      feedback_key: name,
    }));
    const answer = await fetch(`${trimmed(endpoint)}/feedback/tokens`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(tokens),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) return undefined;
    const opened = (await answer.json()) as { url: string }[];
    return this.#known(runId, keys) ?? Object.fromEntries(names.map((name, i) => [name, opened[i]!.url]));
  }
}

/** A platform collects for its agents, whatever their project sets. A server alone uses its own tracing client's. */
function collectorOf(env: NodeJS.ProcessEnv): Collector | undefined {
  const setting = (name: string) => env[`LANGSMITH_${name}`] ?? env[`LANGCHAIN_${name}`];
  const [endpoint, key, url] = [setting('ENDPOINT'), setting('API_KEY'), env['SLIPWAY_FEEDBACK_URL']];
  if (!endpoint || !key) return undefined;
  const isDeployed = env['SLIPWAY_GATEWAY_TOKEN'] !== undefined;
  const logsRuns = [setting('TRACING_V2'), setting('TRACING')].includes('true');
  return url || (!isDeployed && logsRuns) ? { endpoint, key, url } : undefined;
}

const trimmed = (address: string): string => address.replace(/\/+$/, '');

/** A uuid that is unguessable without the key and the same in every process. */
function tokenOf(key: string, runId: string, feedbackKey: string): string {
  const hex = createHmac('sha256', key).update(`feedback/${runId}/${feedbackKey}`).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}
