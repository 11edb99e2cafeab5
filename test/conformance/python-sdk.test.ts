import { afterAll, beforeAll, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { pythonEnvironment } from './python/environment.ts';
import { listCases, PythonCases } from './python/python-cases.ts';

// Must run before the tests are declared, because each case becomes a test.
const python = await pythonEnvironment(new URL('python/requirements.txt', import.meta.url));
const names = await listCases(python);

// A pending response can be cut only once it has begun, which is at the first heartbeat.
const options = { env: { SLIPWAY_KEEP_ALIVE_SECONDS: '1' } };
// One per kind of client, so that both run their cases concurrently.
const apis = [useApi(options), useApi(options)];
let cases: PythonCases;

beforeAll(() => {
  cases = new PythonCases(python, apis.map(({ url }) => url).join());
});
afterAll(() => cases?.stop());

test.each(names)('%s', async (name) => cases.check(name));
