import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { useApi } from '../support/use-api.ts';

// A pending response sends heartbeats while the tool runs.
const api = useApi({ env: { SLIPWAY_KEEP_ALIVE_SECONDS: '1' } });
const client = new Client({ name: 'tour', version: '1.0.0' });

beforeAll(() => client.connect(new StreamableHTTPClientTransport(new URL('/mcp', api.url))));
afterAll(() => client.close());

test('connect returns server info and capabilities; ping works', async () => {
  expect(client.getServerVersion()).toEqual({ name: 'slipway', version: expect.any(String) });
  expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
  expect(await client.ping()).toEqual({});
});

test('listTools pages through every assistant', async () => {
  for (let index = 0; index < 101; index++)
    await api.post('/assistants', { graph_id: 'echo', name: `tool ${index}`, description: `Tool ${index}` });
  const found = new Map<string, string | undefined>();
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description } of page.tools) found.set(name, description);
    pages++;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(pages).toBe(2);
  expect(found.get('tool_100')).toBe('Tool 100');
  expect(found.get('echo')).toBe('Answers with what it is given');
});

test('callTool runs the assistant and returns its output', async () => {
  const { content, isError } = await client.callTool({ name: 'typed', arguments: { city: 'Oslo', days: 2 } });
  expect(isError).toBe(false);
  const [{ text }] = content as [{ text: string }];
  expect(JSON.parse(text)).toMatchObject({ forecast: ['Oslo, day 1: sunny', 'Oslo, day 2: sunny'] });
});

test('callTool waits for a slow tool', async () => {
  const { content } = await client.callTool({ name: 'sleepy', arguments: { ms: 2_500 } });
  expect((content as [{ text: string }])[0].text).toContain('"slept":2500');
});

test('a failed run is an error result, an unknown tool a protocol error', async () => {
  expect(await client.callTool({ name: 'boom', arguments: { message: 'no luck' } })).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'Error: no luck' }],
  });
  await expect(client.callTool({ name: 'nobody' })).rejects.toMatchObject({ code: -32_602 });
});

test.each(['auto', { pin: '2026-07-28' }] as const)(
  'a client of the stateless revision lists and calls tools (%j)',
  async (mode) => {
    const stateless = new Client2({ name: 'tour', version: '2.0.0' }, { versionNegotiation: { mode } });
    await stateless.connect(new Transport2(new URL('/mcp', api.url)));
    expect(stateless.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(stateless.getServerVersion()).toEqual({ name: 'slipway', version: expect.any(String) });
    expect((await stateless.listTools()).tools.map(({ name }) => name)).toContain('echo');
    const { content } = await stateless.callTool({ name: 'sleepy', arguments: { ms: 1_500 } });
    expect(content).toMatchObject([{ text: expect.stringContaining('"slept":1500') }]);
    await stateless.close();
  },
);

test('many clients can call concurrently', async () => {
  const others = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const other = new Client({ name: `other-${index}`, version: '1.0.0' });
      await other.connect(new StreamableHTTPClientTransport(new URL('/mcp', api.url)));
      const { content } = await other.callTool({ name: 'echo', arguments: { text: `n${index}` } });
      await other.close();
      return JSON.parse((content as [{ text: string }])[0].text).echo as string;
    }),
  );
  expect(others).toEqual(Array.from({ length: 8 }, (_, index) => `n${index}`));
});
