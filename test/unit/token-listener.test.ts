import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { TokenListener } from '../../src/agent-server/hosts/remote/token-listener.ts';
import { encodeFrame, FrameReader } from '../../src/graph-protocol/frame.ts';

const TOKEN = 'what the launcher shows';
const hello = (token: unknown) => encodeFrame({ call: 'hello', id: 1 }, JSON.stringify({ token }));

let folder: string;
let listener: TokenListener;
let taken: Socket[];
let isTaken: boolean;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'token-listener-'));
  listener = new TokenListener();
  [taken, isTaken] = [[], false];
  listener.expect(TOKEN, { take: (socket) => taken.push(socket), isTaken: () => isTaken });
  await listener.listen(`unix:${folder}/socket`);
});
afterEach(async () => {
  listener.close();
  await rm(folder, { recursive: true });
});

/** Sends bytes; returns the response once there is one or the connection has ended. */
async function send(...chunks: Uint8Array[]): Promise<object | undefined> {
  const socket = connect(`${folder}/socket`);
  const reader = new FrameReader();
  socket.on('error', () => {});
  for (const chunk of chunks) socket.write(chunk);
  return new Promise((resolve) => {
    socket.on('close', () => resolve(undefined));
    socket.on('data', (chunk: Buffer) => {
      for (const { header, body } of reader.push(chunk))
        resolve({ ...header, body: JSON.parse(body.toString()) as unknown });
    });
  });
}

test('accepts a connection with the token, in any number of chunks', async () => {
  const bytes = hello(TOKEN);
  expect(await send(bytes.subarray(0, 5), bytes.subarray(5))).toEqual({ result: 1, body: null });
  expect(taken).toHaveLength(1);
});

test('refuses a wrong token, and connections beyond the limit', async () => {
  expect(await send(hello('wrong'))).toMatchObject({ error: 1, body: { error: 'Unauthenticated' } });
  isTaken = true;
  expect(await send(hello(TOKEN))).toMatchObject({ error: 1, body: { error: 'Taken' } });
  expect(taken).toEqual([]);
});

test.each([
  ['another call', encodeFrame({ call: 'checkpoint.find', id: 1 }, '{"token":"what the launcher shows"}')],
  ['a token that is no text', hello({ token: TOKEN })],
  ['a header that is too large', encodeFrame({ call: 'hello', id: 1, fill: 'x'.repeat(2_000) }, '{}')],
  ['the length of a large body', encodeFrame({ call: 'hello', id: 1 }, 'x'.repeat(5_000)).subarray(0, 40)],
  ['what is no frame', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['more before its answer', Buffer.concat([hello(TOKEN), hello(TOKEN)])],
])('disconnects a connection that sends %s', async (_what, bytes) => {
  expect(await send(bytes)).toBeUndefined();
  expect(taken).toEqual([]);
});

test('accepts a single-use token once', async () => {
  const { token, arrived } = listener.expectOne();
  const [first, second] = [await send(hello(token)), await send(hello(token))];
  expect((await arrived).destroyed).toBe(false);
  expect([first, second]).toMatchObject([{ result: 1 }, { body: { error: 'Unauthenticated' } }]);
});

test('refuses a forgotten token', async () => {
  const { token, forget } = listener.expectOne();
  forget();
  expect(await send(hello(token))).toMatchObject({ body: { error: 'Unauthenticated' } });
});

test('disconnects unauthenticated connections beyond 32', async () => {
  const silent = Array.from({ length: 32 }, () => connect(`${folder}/socket`));
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  expect(await send(hello(TOKEN))).toBeUndefined();
  silent[0]!.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await send(hello(TOKEN))).toMatchObject({ result: 1 });
  for (const socket of silent) socket.destroy();
});

test('replaces the socket file of a killed server', async () => {
  const next = new TokenListener();
  await next.listen(`unix:${folder}/socket`);
  next.expect(TOKEN, { take: () => {} });
  expect(await send(hello(TOKEN))).toMatchObject({ result: 1 });
  next.close();
});
