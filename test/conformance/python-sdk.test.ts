import { afterAll, beforeAll, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { pythonEnvironment } from './python/environment.ts';
import { listCases, PythonCases } from './python/python-cases.ts';

// Before the tests are declared, because the cases are the tests.
const python = await pythonEnvironment(new URL('python/requirements.txt', import.meta.url));
const names = await listCases(python);

// A waiting answer can be cut only once it has begun, which is with the first sign of life.
const options = { env: { SLIPWAY_KEEP_ALIVE_SECONDS: '1' } };
// One for each kind of client: each has its cases alone, at the same time as the other.
const apis = [useApi(options), useApi(options)];
let cases: PythonCases;

beforeAll(() => {
  cases = new PythonCases(python, apis.map(({ url }) => url).join());
});
afterAll(() => cases?.stop());

test.each(names)('%s', async (name) => cases.check(name));
