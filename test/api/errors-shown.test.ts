import { describe, expect, test } from '@jest/globals';
import { STREAM_MODES } from '../../src/agent-server/records/run.ts';
import { HARMLESS_MESSAGES, SECRET_MESSAGES } from '../support/error-corpus.ts';
import { useApi } from '../support/use-api.ts';
import { useReceiver } from '../support/webhook-receiver.ts';
import { A2aCaller, data } from './a2a-caller.ts';
import { ALL, command, isRootEnd, newThread, openEvents } from './protocol-client.ts';
import { framesOf } from './streams-frames.ts';

const api = useApi();
const receiver = useReceiver();
const agent = new A2aCaller(() => api.url);

/** Input of a run that fails with the message; the input does not contain it in plain text. */
const failing = (message: string, kind = 'error') => ({
  kind,
  encoded: Buffer.from(message).toString('base64'),
});

/** All events of a run in the event protocol. */
async function protocolEvents(assistant_id: string, input: object): Promise<string> {
  const thread = newThread();
  const reader = await openEvents(api, thread, { channels: ALL });
  await command(api, thread, 'run.start', { assistant_id, input });
  await reader.until(isRootEnd);
  reader.close();
  return JSON.stringify(reader.events);
}

/** Everything that each API of a deployment returns about a run that fails with the message. */
const DOORS: Record<string, (message: string) => Promise<string>> = {
  async 'streams in every mode, state, history, thread, join and webhook'(message) {
    const shown: string[] = [];
    for (const kind of ['error', 'child', 'tool']) {
      const thread = newThread();
      const path = `/threads/${thread}`;
      const hook = `/hook/${thread}`;
      const stream = await api.post(`${path}/runs/stream`, {
        assistant_id: 'boom',
        input: failing(message, kind),
        if_not_exists: 'create',
        stream_mode: STREAM_MODES,
        stream_subgraphs: true,
        stream_resumable: true,
        webhook: receiver.url + hook,
      });
      const run = stream.headers.get('content-location')!;
      const { json: runs } = await api.get(`${path}/runs`);
      const reads = [path, `${path}/state?subgraphs=true`, `${path}/history`, run, `${run}/join`];
      const answers = await Promise.all(reads.map((read) => api.get(read)));
      const [webhook] = await receiver.wait((one) => one.path === hook);
      shown.push(stream.text, JSON.stringify(runs), ...answers.map(({ text }) => text), webhook!.text);
    }
    return shown.join('\n');
  },
  async 'wait and batch without a thread'(message) {
    const body = { assistant_id: 'boom', input: failing(message) };
    return (await api.post('/runs/wait', body)).text;
  },
  async 'the event protocol'(message) {
    const shown: string[] = [];
    for (const [assistant_id, input] of [
      ['boom', failing(message, 'child')],
      ['boom', failing(message, 'tool')],
      ['transformed', { fail: failing(message).encoded }],
    ] as const)
      shown.push(await protocolEvents(assistant_id, input));
    return shown.join('\n');
  },
  async A2A(message) {
    const sent = await agent.send('message/send', 'boom', [data(failing(message))]);
    const { id } = sent.result;
    return JSON.stringify([sent, await agent.rpc('boom', 'tasks/get', { id })]);
  },
  async MCP(message) {
    const params = { name: 'boom', arguments: failing(message) };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return (await api.post('/mcp', body, { accept: 'application/json' })).text;
  },
};

/** Several messages are joined into one error. */
const inParts = <Item>(items: Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / 10) }, (_, part) => items.slice(part * 10, part * 10 + 10));

/** The text as escaped in JSON, and in JSON nested as text in other JSON. */
const spellings = (text: string): string[] => {
  const once = JSON.stringify(text).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  return [text, once, twice, JSON.stringify(twice).slice(1, -1)];
};

describe.each(Object.entries(DOORS))('%s', (_door, shownOf) => {
  test('hide secrets in errors', async () => {
    for (const part of inParts(SECRET_MESSAGES)) {
      const shown = await shownOf(part.map(([message]) => message).join('\n\n'));
      expect(shown).toContain('[redacted');
      const hidden = part.flatMap(([, ...secrets]) => secrets).flatMap(spellings);
      expect(hidden.filter((secret) => shown.includes(secret))).toEqual([]);
    }
  });

  test('show a harmless error verbatim', async () => {
    for (const part of inParts(HARMLESS_MESSAGES)) {
      const message = part.join('\n\n');
      const shown = await shownOf(message);
      expect(spellings(message).some((text) => shown.includes(text))).toBe(true);
      expect(shown).not.toContain('[redacted');
    }
  });
});

test("a graph's own output is not redacted", async () => {
  const text = SECRET_MESSAGES.map(([message]) => message).join('\n');
  const body = { assistant_id: 'echo', input: { text }, stream_mode: ['values', 'debug', 'tasks', 'events'] };
  const frames = framesOf((await api.post('/runs/stream', body)).text);
  expect(frames.findLast(({ event }) => event === 'values')!.data.echo).toBe(text);
  expect(JSON.stringify(frames)).not.toContain('[redacted');
});

test.each([
  ['custom', 'DriverFailure'],
  ['child-custom', 'DriverFailure'],
  ['tool-custom', 'DriverFailure'],
  ['anonymous', 'anonymous'],
])(
  'the message of a class that is hidden is hidden in every mode and in the state: %s',
  async (kind, name) => {
    const path = `/threads/${newThread()}`;
    const { text } = await api.post(`${path}/runs/stream`, {
      assistant_id: 'boom',
      input: failing('secret plans', kind),
      if_not_exists: 'create',
      stream_mode: STREAM_MODES,
      stream_subgraphs: true,
    });
    const reads = [path, `${path}/state?subgraphs=true`, `${path}/history`];
    const [thread, state, history] = await Promise.all(reads.map((read) => api.get(read)));
    const failure = { error: name, message: 'An internal error occurred' };
    expect(text).toContain(JSON.stringify(failure));
    expect(JSON.parse(state!.json.tasks[0].error)).toEqual(failure);
    for (const shown of [text, thread!.text, state!.text, history!.text])
      expect(shown).not.toContain('secret plans');
  },
);

test("the event protocol hides a tool's error message if its class is hidden", async () => {
  for (const [assistant_id, input] of [
    ['boom', failing('secret plans', 'tool-custom')],
    ['transformed', { fail: failing('secret plans').encoded, hidden: true }],
  ] as const) {
    const shown = await protocolEvents(assistant_id, input);
    expect(shown).toContain('An internal error occurred');
    expect(shown).not.toContain('secret plans');
  }
});
