import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, test } from '@jest/globals';
import { API_KEY, usePlatform } from '../support/platform.ts';
import { pythonEnvironment } from './python/environment.ts';
import { listCases, PythonCases } from './python/python-cases.ts';

// Before the tests are declared, because the cases are the tests.
const python = await pythonEnvironment(new URL('python/requirements.txt', import.meta.url));
const program = fileURLToPath(new URL('python-langsmith/main.py', import.meta.url));
const names = await listCases(python, program);

const platform = usePlatform();
let cases: PythonCases;

beforeAll(async () => {
  // Some runs of the cases are of a day that gets longer ago.
  const api = await platform.start('platform', { SLIPWAY_TRACE_RETENTION_DAYS: '36500' });
  cases = new PythonCases(python, api.url, { program, args: [API_KEY] });
});
afterAll(() => cases?.stop());

test.each(names)('%s', async (name) => cases.check(name));
