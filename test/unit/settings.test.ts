import { expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { readSettings } from '../../src/platform/settings.ts';

const Settings = Type.Object({
  DATABASE_URL: Type.String({ pattern: '^postgres:', description: 'Postgres URL' }),
  SLIPWAY_SECRET_KEY: Type.String({ minLength: 16, description: 'Key that encrypts' }),
  PORT: Type.Integer({ description: 'Port to listen on' }),
});
const valid = { DATABASE_URL: 'postgres://localhost', SLIPWAY_SECRET_KEY: 'x'.repeat(16), PORT: '1' };

test.each([
  [{ PORT: 'first' }, 'PORT="first" must be integer: Port to listen on'],
  [{ PORT: '' }, 'PORT is not set: Port to listen on'],
  [
    { SLIPWAY_SECRET_KEY: 'hunter2' },
    'SLIPWAY_SECRET_KEY must NOT have fewer than 16 characters: Key that encrypts',
  ],
  [{ DATABASE_URL: 'mysql://me:hunter2@db' }, 'DATABASE_URL must match pattern "^postgres:": Postgres URL'],
])('an invalid setting is named with its value, unless it is secret: %j', (given, message) => {
  expect(() => readSettings(Settings, { ...valid, ...given })).toThrow(new Error(message));
});
