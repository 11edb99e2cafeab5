import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, test } from '@jest/globals';
import { API_KEY, usePlatform } from '../support/platform.ts';
import { pythonEnvironment } from './python/environment.ts';
import { listCases, PythonCases } from './python/python-cases.ts';

// Must run before the tests are declared, because each case becomes a test.
const python = await pythonEnvironment(new URL('python/requirements.txt', import.meta.url));
const program = fileURLToPath(new URL('python-langsmith/main.py', import.meta.url));
const names = await listCases(python, program);

const platform = usePlatform();
let cases: PythonCases;

beforeAll(async () => {
  // Some runs in the cases have a fixed date, further in the past every day.
  const api = await platform.start('platform', { SLIPWAY_TRACE_RETENTION_DAYS: '36500' });
  cases = new PythonCases(python, api.url, { program, args: [API_KEY] });
});
afterAll(() => cases?.stop());

test.each(names)('%s', async (name) => cases.check(name));
