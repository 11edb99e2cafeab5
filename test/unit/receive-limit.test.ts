import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Type } from 'typebox';
import { createApp } from '../../src/platform/http/app.ts';
import { defineRoute } from '../../src/platform/http/route.ts';
import { limitReceiving, requirePace } from '../../src/platform/http/receive-limit.ts';

const WINDOW_MS = 200;
const PACE = 200;

type Read = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** The status of a request whose body `send` writes, for a server that reads it with `read`. */
async function statusOf(
  send: (socket: Socket) => Promise<void>,
  read: Read = async (request) => request.resume(),
): Promise<number> {
  const server = createServer((request, response) => {
    limitReceiving(request, response, WINDOW_MS);
    requirePace(request);
    request.once('end', () => response.end());
    request.on('error', () => {});
    void read(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n');
  await send(socket);
  await closed;
  await new Promise((resolve) => server.close(resolve));
  return Number(answer.split(' ')[1]);
}

const chunkOf = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

async function trickle(socket: Socket, bytes: number, times: number): Promise<void> {
  for (let sent = 0; sent < times && socket.writable; sent++) {
    socket.write(chunkOf(bytes));
    await setTimeout(50);
  }
  if (socket.writable) socket.write('0\r\n\r\n');
}

test('does not wait for a stalled body', async () => {
  expect(await statusOf(async (socket) => void socket.write(chunkOf(1)))).toBe(408);
});

test('does not wait for a trickling body', async () => {
  expect(await statusOf((socket) => trickle(socket, 1, 40))).toBe(408);
});

test('accepts a slow body that keeps its pace', async () => {
  expect(await statusOf((socket) => trickle(socket, PACE, 20))).toBe(200);
});

test('a slow reader does not count against a body', async () => {
  const pause = async (request: IncomingMessage) => {
    request.once('readable', () => setTimeout(3 * WINDOW_MS).then(() => request.resume()));
  };
  const send = async (socket: Socket) => void socket.write(`${chunkOf(100_000)}0\r\n\r\n`);
  expect(await statusOf(send, pause)).toBe(200);
});

test('a body that does not arrive in time is not logged as an error', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const route = defineRoute({
    method: 'post',
    path: '/',
    operationId: 'take',
    tags: [],
    summary: 'Take a body',
    body: Type.Object({}),
    responses: {},
    handle: () => ({}),
  });
  const answer = createApp([route], { log, bodyLimit: 1_000 }).callback();
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    await answer(request, response);
  };
  expect(await statusOf(async (socket) => void socket.write(chunkOf(1)), handle)).toBe(408);
  expect(lines).toEqual([]);
});
