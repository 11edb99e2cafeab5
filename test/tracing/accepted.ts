import { expect } from '@jest/globals';
import { ask } from '../support/platform.ts';
import { until } from '../support/until.ts';

/** Repeats a deletion until it is accepted. While Temporal is unavailable it is rejected without any change. */
export const accepted = (url: string, method: string, path: string, body?: object): Promise<void> =>
  until(`${method} ${path} is accepted`, async () => {
    const { status } = await ask(url, method, path, body);
    expect([202, 503]).toContain(status);
    return status === 202;
  });
