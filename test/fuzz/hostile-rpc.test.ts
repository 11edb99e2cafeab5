import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { useApi } from '../support/use-api.ts';
import { hostileValue } from './hostile-values.ts';

const api = useApi({ env: { SLIPWAY_SWEEP_SECONDS: '3600' } });

const message = {
  kind: 'message',
  role: 'user',
  messageId: 'm',
  contextId: randomUUID(),
  parts: [
    { kind: 'text', text: 'hi' },
    { kind: 'data', data: { text: 'x' } },
  ],
};
const send = {
  message,
  configuration: { historyLength: 3, blocking: true },
  context: {},
  command: { resume: 1 },
};
const plain = { message: { ...message, contextId: undefined }, configuration: {} };
const one = { id: `${randomUUID()}:${randomUUID()}`, historyLength: 2, name: 'tasks/x' };
const list = {
  contextId: randomUUID(),
  status: 'working',
  statusTimestampAfter: '2026-01-01T00:00:00Z',
  pageSize: 5,
  pageToken: 'MA',
  historyLength: 1,
  includeArtifacts: true,
};
const CALLS: [path: string, method: string, params: object][] = [
  ['/a2a/echo', 'message/send', send],
  ['/a2a/echo', 'message/send', plain],
  ['/a2a/echo', 'message/stream', plain],
  ['/a2a/echo', 'SendMessage', { message: { ...plain.message, role: 'ROLE_USER', parts: [{ text: 'hi' }] } }],
  ['/a2a/echo', 'tasks/get', one],
  ['/a2a/echo', 'CancelTask', one],
  ['/a2a/echo', 'SubscribeToTask', one],
  ['/a2a/echo', 'tasks/list', list],
  ['/a2a/echo', 'GetExtendedAgentCard', {}],
  ['/mcp', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} }],
  ['/mcp', 'tools/list', { cursor: 'MA' }],
  ['/mcp', 'tools/call', { name: 'echo', arguments: { text: 'hi' }, context: {} }],
];
const CODES = [-32_600, -32_601, -32_602, -32_001, -32_002, -32_003, -32_004, -32_005];

/** Replaces one of the object's leaves or branches with the value. */
function spoil(target: unknown, value: unknown, way: number[]): unknown {
  const [step = 0, ...rest] = way;
  if (typeof target !== 'object' || target === null || way.length === 0) return value;
  const keys = Object.keys(target);
  if (keys.length === 0) return value;
  const key = keys[step % keys.length]!;
  const inner = spoil((target as Record<string, unknown>)[key], value, rest);
  return Array.isArray(target)
    ? target.map((item, index) => (String(index) === key ? inner : (item as unknown)))
    : { ...target, [key]: inner };
}

const requests = fc.tuple(
  fc.constantFrom(...CALLS),
  hostileValue(),
  fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
);

test('no params break the server or reveal internals', async () => {
  for (const [[path, method, params], value, way] of fc.sample(requests, { numRuns: 500, seed: 11 })) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: spoil(params, value, way) });
    const response = await fetch(api.url + path, {
      method: 'POST',
      body,
      headers: { accept: 'application/json, text/event-stream' },
    });
    const answer = await response.text();
    const exchange = `${path} ${body.slice(0, 500)} → ${response.status} ${answer.slice(0, 500)}`;
    if (response.status === 400) {
      expect(exchange).toContain('{"detail":');
      continue;
    }
    if (response.status !== 200) throw new Error(exchange);
    if (response.headers.get('content-type')!.startsWith('text/event-stream')) continue;
    const { error, result } = JSON.parse(answer);
    if (error ? !CODES.includes(error.code) : typeof result !== 'object') throw new Error(exchange);
    if (/node_modules|SQLSTATE|violates|workflow|is not a function|reading '/.test(error?.message))
      throw new Error(exchange);
  }
  const logged = api.server
    .logs()
    .split('\n')
    .filter((line) => /"level":[56]0|[Uu]nhandled/.test(line));
  expect(logged).toEqual([]);
});
