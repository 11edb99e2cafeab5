import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import type { Embeddings } from './embeddings.ts';
import { EmbeddingRefused, EmbeddingUnavailable } from './embedding-errors.ts';

export interface OpenAiOptions {
  model: string;
  dims: number;
  env: Record<string, string | undefined>;
  log: Logger;
  /** Pause before the second attempt, in milliseconds; doubles with each attempt. */
  pauseMs?: number;
}

const ATTEMPTS = 3;
const TIMEOUT_MS = 60_000;
const LONGEST_PAUSE_MS = 10_000;

interface EmbeddingResponse {
  data: { index: number; embedding: number[] }[];
}

/** Embeddings from any endpoint with OpenAI's API. Throws InvalidProject if the environment sets none. */
export function openAiEmbeddings({ model, dims, env, log, pauseMs = 250 }: OpenAiOptions): Embeddings {
  const key = env['OPENAI_API_KEY'];
  const base = env['OPENAI_BASE_URL'] || 'https://api.openai.com/v1';
  // Self-hosted endpoints often need no key.
  if (!key && !env['OPENAI_BASE_URL'])
    throw new InvalidProject('store.index.embed: OPENAI_API_KEY is not set');
  const url = `${base.replace(/\/+$/, '')}/embeddings`;
  if (!URL.canParse(url)) throw new InvalidProject('store.index.embed: OPENAI_BASE_URL is not a URL');

  const request = (texts: string[]) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    // Only this model family supports the field; others reject it.
    body: JSON.stringify({
      model,
      input: texts,
      ...(model.startsWith('text-embedding-3') && { dimensions: dims }),
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });

  async function embedDocuments(texts: string[]): Promise<number[][]> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await send(url, request(texts));
      if (Array.isArray(outcome)) return outcome;
      const { status, reason, retryAfterMs } = outcome;
      log.warn({ model, status, reason, attempt }, 'embedding request failed');
      if (status !== undefined && status < 500 && status !== 429 && status !== 408)
        throw new EmbeddingRefused(status);
      if (attempt === ATTEMPTS) throw new EmbeddingUnavailable(reason);
      await sleep(Math.min(retryAfterMs ?? pauseMs * 2 ** (attempt - 1), LONGEST_PAUSE_MS));
    }
  }
  return { embedDocuments, embedQuery: async (text) => (await embedDocuments([text]))[0]! };
}

interface FailedRequest {
  /** Undefined if there was no valid response. */
  status?: number;
  reason: unknown;
  retryAfterMs?: number;
}

async function send(url: string, init: RequestInit): Promise<number[][] | FailedRequest> {
  try {
    const response = await fetch(url, init);
    if (response.ok) return inOrder((await response.json()) as EmbeddingResponse);
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    const reason = (await response.text()).slice(0, 500);
    return { status: response.status, reason, ...(seconds >= 0 && { retryAfterMs: seconds * 1000 }) };
  } catch (reason) {
    return { reason };
  }
}

const inOrder = ({ data }: EmbeddingResponse): number[][] =>
  data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
