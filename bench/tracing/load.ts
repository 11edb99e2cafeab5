import { Pool } from 'undici';
import { pause } from '../pacing.ts';
import { WrongAnswer } from '../scenario.ts';
import type { Batch } from './wire.ts';

const DEADLINE_MS = 60_000;

/** Sends requests over keep-alive connections. */
export class Sender {
  readonly #pool: Pool;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#pool = new Pool(url, { connections: 16, bodyTimeout: DEADLINE_MS, headersTimeout: DEADLINE_MS });
    this.#key = key;
  }

  /** Returns the response's text. Throws WrongAnswer unless the status is 2xx. */
  async post(path: string, headers: Record<string, string>, body: Buffer | string): Promise<string> {
    const answer = await this.#pool.request({
      method: 'POST',
      path,
      headers: { 'x-api-key': this.#key, ...headers },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new WrongAnswer(`${path}: ${answer.statusCode} ${text.slice(0, 200)}`);
    return text;
  }

  async ask<Answer>(path: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return JSON.parse(await this.post(path, headers, JSON.stringify(body))) as Answer;
  }

  /** Throws if a run was rejected. */
  async send({ path, headers, body }: Batch): Promise<void> {
    const text = await this.post(path, headers, body);
    if (/"errors"|rejected/i.test(text)) throw new WrongAnswer(`${path}: ${text.slice(0, 200)}`);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/**
 * Sends a batch every `everyMs`, without waiting for responses; returns the ms from each one's due time to its
 * response.
 */
export async function sendAtRate(sender: Sender, batches: Batch[], everyMs: number): Promise<number[]> {
  const start = performance.now();
  const answered = batches.map(async (batch, index) => {
    const due = start + index * everyMs;
    await pause(due - performance.now());
    await sender.send(batch);
    return performance.now() - due;
  });
  return Promise.all(answered);
}
