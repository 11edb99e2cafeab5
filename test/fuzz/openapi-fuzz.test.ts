import { afterAll, expect, test } from '@jest/globals';
import { PATIENCE_MS } from '../support/until.ts';
import { useApi } from '../support/use-api.ts';
import { DatabaseGuard } from './database-guard.ts';
import { FuzzWorld } from './fuzz-world.ts';
import { fuzz } from './openapi-fuzz.ts';
import { closeConnections } from './send-request.ts';

const seconds = Number(process.env['FUZZ_SECONDS'] ?? 15);
const seed = Number(process.env['FUZZ_SEED'] ?? (seconds > 60 ? Date.now() % 2 ** 31 : 1));

// Sends at least this many, however long that takes on a busy machine.
const LEAST = seconds * 5;

const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '1', SLIPWAY_SWEEP_SECONDS: '3600' } });

afterAll(() => closeConnections());

test(
  'no request breaks the server or its data',
  async () => {
    const guard = new DatabaseGuard(api.databaseUrl);
    try {
      const { requests, statuses, problems } = await fuzz({
        url: api.url,
        world: new FuzzWorld(api.url),
        guard,
        seed,
        seconds,
        least: LEAST,
      });
      if (process.env['FUZZ_SECONDS']) console.info({ seed, requests, statuses });
      // Runs due years from now may stay pending; all others end by themselves.
      const broken = await guard.broken(PATIENCE_MS);
      const errors = api.server
        .logs()
        .split('\n')
        .filter((line) => /"level":[56]0|[Uu]nhandled/.test(line));
      const found = [
        ...problems,
        ...broken,
        ...errors.slice(0, 5).map((line) => `logged: ${line.slice(0, 1_000)}`),
      ];
      if (found.length > 0)
        throw new Error(`FUZZ_SEED=${seed} FUZZ_SECONDS=${seconds}\n\n${found.join('\n\n')}`);
      expect(requests).toBeGreaterThan(LEAST);
      expect(await api.get('/ok')).toMatchObject({ status: 200, json: { ok: true } });
    } finally {
      await guard.close();
    }
  },
  (seconds + 300) * 1_000,
);
