import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { latencyAt } from '../../src/control-plane/gateway/traffic-figures.ts';
import { until } from '../support/until.ts';
import { useGateway } from './gateway-fixture.ts';

const platform = useGateway();
const { key, serving, ask } = platform;

test('a caller’s errors do not count against the revision', async () => {
  const { id, revisionId } = await serving('one');
  const send = (path: string, lines: string[], body = '') =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(platform.url);
      const head = [
        `POST /d/${id}${path} HTTP/1.1`,
        'host: a',
        `x-api-key: ${key['x-api-key']}`,
        ...lines,
        '',
        body,
      ];
      let received = '';
      const socket = connect(Number(port), hostname, () => socket.write(head.join('\r\n')));
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        socket.end();
      });
      socket.on('close', () => resolve(received.split('\r\n')[0]!));
      socket.on('error', reject);
    });
  const h2c = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'];
  expect(await send('/ok', h2c)).toContain(' 201 ');
  expect(await send('/ok', [...h2c, 'content-length: 2'], '{}')).toContain(' 400 ');
  expect(await send('/ok', [...h2c, 'transfer-encoding: chunked'], '0\r\n\r\n')).toContain(' 400 ');
  expect(await send('/ok', ['transfer-encoding: chunked'], 'no chunk\r\n')).toContain(' 400 ');
  expect(await send('/not-implemented', ['content-length: 0'])).toContain(' 501 ');
  const counted = platform.traffic.take().get(revisionId);
  expect([counted?.requests, counted?.failed]).toEqual([2, 0]);
});

test('a stream that breaks off counts against the revision, unless its reader was too slow', async () => {
  const { id, revisionId, upstream: agent } = await serving('one');
  platform.traffic.take();
  const { body } = await request(`${platform.url}/d/${id}/disconnects-slow-readers`, { headers: key });
  await until('the agent disconnects the reader', async () => agent.left === 1);
  await expect(body.arrayBuffer()).rejects.toThrow();
  await ask(`${platform.url}/d/${id}/cut`).then((answer) => answer.text().catch(() => undefined));
  const counted = platform.traffic.take().get(revisionId);
  expect([counted?.requests, counted?.failed]).toEqual([2, 1]);
});

test('the time a caller takes to send a body is not the revision’s', async () => {
  const { id, revisionId } = await serving('one');
  platform.traffic.take();
  async function* slowly() {
    yield '{';
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    yield '}';
  }
  const body = Readable.from(slowly());
  const answer = await request(`${platform.url}/d/${id}/runs`, { method: 'POST', headers: key, body });
  await answer.body.dump();
  const counts = platform.traffic.take().get(revisionId)!;
  expect(answer.statusCode).toBe(201);
  expect(latencyAt(counts.latency, 1)).toBeLessThan(1_000);
});
