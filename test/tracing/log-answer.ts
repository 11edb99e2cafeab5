import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { ask } from '../support/platform.ts';

/** Logs a run of the project `answers` with the given fields overriding the defaults. Returns its id. */
export async function logAnswer(url: string, run: object): Promise<string> {
  const id = randomUUID();
  const whole = {
    id,
    name: 'answer',
    run_type: 'chain',
    session_name: 'answers',
    start_time: Date.now(),
    ...run,
  };
  expect((await ask(url, 'POST', '/runs', whole)).status).toBe(202);
  return id;
}
