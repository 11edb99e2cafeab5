import { beforeAll, describe, expect, test } from '@jest/globals';
import { insertLines } from '../../src/control-plane/logs/log-repository.ts';
import { logSink } from '../../src/control-plane/logs/log-sink.ts';
import { findRevision } from '../../src/control-plane/records/revision-repository.ts';
import { Caller } from '../support/control-plane-caller.ts';
import { HARMLESS_MESSAGES, SECRET_MESSAGES } from '../support/error-corpus.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane();
let api: Caller;
let headers: Record<string, string>;
let id: string;
let revision: string;
const START = Date.parse('2026-01-01T00:00:00.000Z');

beforeAll(async () => {
  headers = { 'x-api-key': await plane.key('viewer') };
  const deployer = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
  const { json } = await deployer.post('/v2/deployments', {
    name: 'logged',
    source: 'git_host',
    source_config: { repo_url: 'https://git.example.com/acme/agent.git' },
    source_revision_config: { repo_ref: 'main' },
    secrets: [{ name: 'BUILD_UNTIL', value: 'it is followed' }],
  });
  id = json.id;
  revision = json.latest_revision_id;
  api = new Caller(plane.url, headers);
});

const path = () => `/v1/projects/${id}/revisions/${revision}`;
const messages = (json: { logs: { message: string }[] }) => json.logs.map(({ message }) => message);

interface Frame {
  event: string;
  id?: string;
  data: any;
}

/** Reads a stream to its end. */
async function follow(address: string, more: Record<string, string> = {}): Promise<Frame[]> {
  const response = await fetch(plane.url + address, { headers: { ...headers, ...more } });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    // The first line of a build.
    if (text.includes('is deprecated')) plane.builder.release('it is followed');
  }
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('event:'));
  return frames.map((frame) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
    return { event: field('event')!, id: field('id')!, data: JSON.parse(field('data')!) };
  });
}

test('follows a build until it ends; a reader can resume', async () => {
  const stream = `/v2/deployments/${id}/revisions/${revision}/logs/stream?phase=build`;
  const frames = await follow(stream);
  expect(frames.map(({ event, data }) => (event === 'log' ? data.message : data.status))).toEqual([
    'building main',
    'one dependency is deprecated',
    'built',
    expect.stringMatching(/^(AWAITING_DEPLOY|DEPLOYING|DEPLOYED)$/),
  ]);
  expect(frames.at(-1)!.event).toBe('end');
  const rest = await follow(stream, { 'last-event-id': frames[1]!.id! });
  expect(rest.map(({ data }) => data.message)).toEqual(['built', undefined]);
});

describe('read by POST', () => {
  beforeAll(async () => {
    await api.until(`/v2/deployments/${id}/revisions/${revision}`, ({ json }) => json.status === 'DEPLOYED');
    await plane.deps.db.query(`delete from control_plane.log_line where phase = 'deploy'`);
    const levels = ['info', 'warn', 'error'];
    const lines = Array.from({ length: 7 }, (_, index) => ({
      level: levels[index % 3]!,
      message: `Line ${index}`,
      at: START + index * 1_000,
    }));
    await insertLines(plane.deps.db, { deployment_id: id, id: revision }, 'deploy', lines);
  });

  test('newest or oldest first, with stable ids', async () => {
    const newest = (await api.post(`${path()}/deploy_logs`, {})).json;
    expect(messages(newest)).toEqual([6, 5, 4, 3, 2, 1, 0].map((number) => `Line ${number}`));
    expect(newest.logs[6]).toEqual({
      id: expect.any(String),
      timestamp: START,
      level: 'info',
      message: 'Line 0',
    });
    const oldest = (await api.post(`/api-host${path()}/deploy_logs`, { order: 'asc' })).json;
    expect(oldest.logs).toEqual(newest.logs.toReversed());
  });

  test.each(['asc', 'desc'])('page by page %s', async (order) => {
    const all = (await api.post(`/v1/projects/${id}/deploy_logs`, { order })).json.logs;
    const seen: unknown[] = [];
    let offset: string | null = null;
    for (let pages = 0; pages < 4; pages++) {
      const { json } = await api.post(`/v1/projects/${id}/deploy_logs`, { order, limit: 3, offset });
      seen.push(...json.logs);
      offset = json.next_offset;
      if (!offset) break;
    }
    expect(seen).toEqual(all);
  });

  test('an ascending cursor finds later lines', async () => {
    const { json } = await api.post(`${path()}/deploy_logs`, { order: 'asc' });
    const nothing = await api.post(`${path()}/deploy_logs`, { order: 'asc', offset: json.next_offset });
    expect(nothing.json).toEqual({ logs: [], next_offset: json.next_offset });
  });

  test('by level, text and time, including the first moment', async () => {
    const read = async (body: object) =>
      messages((await api.post(`${path()}/deploy_logs`, { order: 'asc', ...body })).json);
    expect(await read({ level: 'WARNING' })).toEqual(['Line 1', 'Line 4']);
    expect(await read({ level: 'error' })).toEqual(['Line 2', 'Line 5']);
    expect(await read({ query: 'line 3' })).toEqual(['Line 3']);
    expect(await read({ query: '%' })).toEqual([]);
    const at = (index: number) => new Date(START + index * 1_000).toISOString().replace('Z', '+00:00');
    expect(await read({ start_time: at(5) })).toEqual(['Line 5', 'Line 6']);
    expect(await read({ start_time: at(1), end_time: at(2) })).toEqual(['Line 1', 'Line 2']);
    for (const start_time of ['2016-12-31T23:59:60Z', '0000-01-01T00:00:00Z'])
      expect(await read({ start_time })).toHaveLength(7);
    expect((await api.post(`${path()}/deploy_logs`, { start_time: 'yesterday' })).status).toBe(422);
    expect((await api.post(`${path()}/deploy_logs`, { limit: 0 })).status).toBe(422);
  });
});

test('lines hide secrets and internal hosts, and keep harmless text unchanged', async () => {
  const log = logSink(plane.deps, (await findRevision(plane.deps.db, revision))!, 'build');
  for (const [message] of SECRET_MESSAGES) log(message, 'error');
  for (const message of HARMLESS_MESSAGES) log(message);
  await log.close();
  const read = async (level: string) =>
    messages((await api.post(`${path()}/build_logs`, { level, limit: 1_000, order: 'asc' })).json);
  const shown = (await read('error')).join('\n');
  const isFile = (secret: string) => ['/srv/agents', '/var/run', 'lovelace'].includes(secret);
  const secrets = SECRET_MESSAGES.flatMap(([, ...hidden]) => hidden).filter((secret) => !isFile(secret));
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
  expect(shown).toContain('open /srv/agents/secret/key.pem');
  expect(await read('info')).toEqual(expect.arrayContaining(HARMLESS_MESSAGES));
});
