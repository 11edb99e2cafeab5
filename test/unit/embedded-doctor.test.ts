import { expect, test } from '@jest/globals';
import { diagnose } from '../../src/platform/embedded/doctor.ts';

test('reports each problem and what it turns off, without passwords', async () => {
  const findings = await diagnose({
    PATH: '',
    DATABASE_URL: 'postgresql://ada:secret@127.0.0.1:1/agents',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    SLIPWAY_DATA_DIR: '/dev/null/slipway',
    DOCKER_HOST: 'tcp://127.0.0.1:1',
  });
  const fatal = { ok: false };
  const wrong = { ok: false, turns_off: expect.any(String) };
  expect(findings).toMatchObject([
    { name: 'Node.js', ok: true, detail: process.versions.node },
    { name: 'data directory', ...fatal },
    { name: 'Postgres', ...fatal, detail: expect.stringContaining('ECONNREFUSED') },
    { name: 'Temporal', ...fatal, detail: expect.stringContaining('127.0.0.1:1') },
    { name: 'git', ...wrong },
    { name: 'container engine', ...wrong, detail: expect.stringContaining('DOCKER_HOST') },
  ]);
  expect(findings.filter((finding) => 'turns_off' in finding)).toHaveLength(2);
  expect(JSON.stringify(findings)).not.toContain('secret');
});

test('checks the embedded Postgres by default', async () => {
  const findings = await diagnose({ PATH: process.env['PATH'], HOME: process.env['HOME'] });
  expect(findings.find(({ name }) => name === 'Postgres')).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^embedded, postgres \(PostgreSQL\) 18\./),
  });
});
