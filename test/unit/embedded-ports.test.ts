import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { choosePort, rememberedPorts, rememberPorts } from '../../src/platform/embedded/ports.ts';

test('a taken port is skipped, unless requested explicitly', async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  try {
    expect(await choosePort('Postgres', port)).toBeGreaterThan(port);
    await expect(choosePort('Postgres', 1, port)).rejects.toThrow(`Port ${port} for Postgres is taken`);
  } finally {
    server.close();
  }
});

test('ports are remembered by service', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'slipway-ports-'));
  await mkdir(join(dir, 'run'));
  await rememberPorts(dir, 'temporal', { temporal: 1 });
  expect(await rememberedPorts(dir, 'temporal', { temporal: 7233, temporalUi: 8233 })).toEqual({
    temporal: 1,
    temporalUi: 8233,
  });
  expect(await rememberedPorts(dir, 'postgres', { postgres: 2 })).toEqual({ postgres: 2 });
  await rm(dir, { recursive: true });
});
