import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { RemoteError } from '../../src/graph-protocol/remote-error.ts';
import { MemoryServer } from '../support/memory-server.ts';
import { until } from '../support/until.ts';
import { type LoadedHost, pythonKinds, startLoaded } from './graph-host/hosts.ts';

const [TEXT, BINARY, CLOSE] = [1, 2, 8];
const message = (kind: number, body: string | number[]) =>
  Buffer.from([kind, ...Buffer.from(body as string)]);

// The reference serves WebSocket routes only for Python applications.
describe.each(pythonKinds)('the WebSockets of a graph host in $language over $transport', (kind) => {
  const server = new MemoryServer();
  let host: LoadedHost;

  beforeAll(async () => void (host = await startLoaded(kind, server, kind.guarded)));
  afterAll(() => host?.close());
  beforeEach(() => void (server.admit = () => ({ identity: 'alice' })));

  /** Everything the application sends until it ends the call. */
  async function talk(messages: Buffer[], { query = '', headers = [] as string[][], admit = false } = {}) {
    const pieces: [name: string, data: unknown][] = [];
    const params = { method: 'GET', url: `http://localhost/custom/talk${query}`, headers, admit, user: null };
    const call = host.channel.call('websocket', params, {
      input: Readable.from(messages),
      onData: (name, body) => {
        const text = body.toString();
        pieces.push([name, name === 'accept' || name === 'close' ? JSON.parse(text) : text]);
        return undefined;
      },
    });
    await call;
    return pieces;
  }
  const greeting = (hello: string) => ['text', `{"hello":"${hello}","at":"/custom/talk"}`];

  test('are announced, and matched apart from other routes', async () => {
    expect(host.description.websockets).toBe(true);
    const match = (path: string, websocket: boolean) =>
      host.channel.call('http.match', { method: 'GET', path, websocket });
    expect(await match('/custom/talk', true)).toMatchObject({ owns: true });
    expect(await match('/custom/talk', false)).toMatchObject({ owns: false });
    expect(await match('/custom/hello', true)).toMatchObject({ owns: false });
  });

  test('carry text and bytes both ways, and the code of their end', async () => {
    const headers = [['sec-websocket-protocol', 'other, talk']];
    const sent = [message(TEXT, 'hé'), message(BINARY, [0, 255]), message(TEXT, 'bye')];
    expect(await talk(sent, { headers })).toEqual([
      ['accept', { protocol: 'talk', headers: [['x-greeting', 'hello']] }],
      greeting('stranger'),
      ['text', 'HÉ'],
      ['binary', Buffer.from([0, 255]).toString()],
      ['close', { code: 4001, reason: 'see you' }],
    ]);
  });

  test('know when their client leaves', async () => {
    await talk([message(CLOSE, [0x0f, 0xa2, 111, 107])]);
    await until('it is noticed', () => host.output().includes('the talk was left with 4002'));
    await talk([]);
    await until('a cut is noticed', () => host.output().includes('the talk was left with 1006'));
  });

  test('are refused by the application before they open', async () => {
    expect(await talk([], { query: '?refuse' })).toEqual([['close', { code: 1008, reason: '' }]]);
  });

  test('fail with the call when the application does', async () => {
    await expect(talk([message(TEXT, 'fail')])).rejects.toMatchObject({ name: 'OSError' });
  });

  test('ask the server who may come in', async () => {
    expect((await talk([message(TEXT, 'bye')], { admit: true }))[1]).toEqual(greeting('alice'));
    server.admit = () => {
      throw new RemoteError({ error: 'Refused', message: 'not you', status: 403 });
    };
    const refused = talk([], { admit: true });
    await expect(refused).rejects.toMatchObject({ name: 'Refused', details: { status: 403 } });
  });
});
