import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createEmbedder, type IndexConfig } from '../../src/graph-host/store/embeddings.ts';
import { openAiEmbeddings } from '../../src/graph-host/store/openai-embeddings.ts';

interface Received {
  url: string | undefined;
  authorization: string | undefined;
  body: { model: string; input: string[]; dimensions?: number };
}

let server: Server;
let received: Received[] = [];
/** The provider's next responses; 200 with vectors if empty. */
let failures: { status: number; headers?: Record<string, string>; body?: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Received['body'];
    received.push({ url: request.url, authorization: request.headers.authorization, body });
    const failure = failures.shift();
    if (failure) {
      response.writeHead(failure.status, failure.headers).end(failure.body ?? 'no');
      return;
    }
    const data = body.input.map((text, index) => ({ index, embedding: [text.length, 1, 0] })).toReversed();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => {
  received = [];
  failures = [];
});

const log = pino({ level: 'silent' });
const env = () => ({
  OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`,
  OPENAI_API_KEY: 'sk-test',
});
const project = (exported?: unknown) => ({ import: async () => exported });
const index = (embed: string): IndexConfig => ({ embed, dims: 3 });
const openai = (model = 'text-embedding-3-small') =>
  createEmbedder(index(`openai:${model}`), { project: project(), env: env(), log });
const mine = (exported: unknown, dims = 3) =>
  createEmbedder({ embed: './embed.ts:embed', dims }, { project: project(exported), env: {}, log });

test("requests use the provider's format, and vectors are sorted", async () => {
  expect(await (await openai()).embedTexts(['a', 'bbb'])).toEqual([
    [1, 1, 0],
    [3, 1, 0],
  ]);
  expect(received).toEqual([
    {
      url: '/v1/embeddings',
      authorization: 'Bearer sk-test',
      body: { model: 'text-embedding-3-small', input: ['a', 'bbb'], dimensions: 3 },
    },
  ]);
});

test('the size is requested only from models that support it', async () => {
  await (await openai('BAAI/bge-small')).embedQuery('q');
  expect(received[0]!.body).toEqual({ model: 'BAAI/bge-small', input: ['q'] });
});

test('many texts are sent in several requests, equal ones once', async () => {
  const texts = Array.from({ length: 600 }, (_, i) => 'x'.repeat(i % 300));
  const vectors = await (await openai()).embedTexts(texts);
  expect(vectors.map(([length]) => length)).toEqual(texts.map((text) => text.length));
  expect(received.map(({ body }) => body.input.length)).toEqual([256, 44]);
});

test('a busy provider is retried', async () => {
  failures = [
    { status: 429, headers: { 'retry-after': '0' } },
    { status: 500, headers: { 'retry-after': '0' } },
  ];
  expect(await (await openai()).embedQuery('hi')).toEqual([2, 1, 0]);
  expect(received).toHaveLength(3);
});

test('a provider that stays broken makes the store unavailable, without saying where it is', async () => {
  failures = Array.from({ length: 3 }, () => ({ status: 503, headers: { 'retry-after': '0' } }));
  const error = await (await openai()).embedQuery('hi').catch((error: unknown) => error as Error);
  expect(error).toMatchObject({ name: 'EmbeddingUnavailable', status: 503 });
  expect(String(error)).not.toContain('127.0.0.1');
});

test('a rejected text is not retried', async () => {
  failures = [{ status: 400, body: 'too long' }];
  await expect((await openai()).embedQuery('hi')).rejects.toMatchObject({
    name: 'EmbeddingRefused',
    status: 422,
  });
  expect(received).toHaveLength(1);
});

test('an invalid or missing response counts as unavailable', async () => {
  const options = { model: 'm', dims: 3, log, pauseMs: 1 };
  const unreachable = openAiEmbeddings({ ...options, env: { OPENAI_BASE_URL: 'http://127.0.0.1:1' } });
  await expect(unreachable.embedQuery('hi')).rejects.toMatchObject({ name: 'EmbeddingUnavailable' });
  failures = Array.from({ length: 3 }, () => ({ status: 200, body: 'not json' }));
  await expect(openAiEmbeddings({ ...options, env: env() }).embedQuery('hi')).rejects.toMatchObject({
    status: 503,
  });
});

test('a function of the project embeds texts and queries', async () => {
  const embedder = await mine(async (texts: string[]) =>
    texts.map((text) => new Float32Array([text.length, 0, 0])),
  );
  expect(await embedder.embedTexts(['a', 'bb'])).toEqual([
    [1, 0, 0],
    [2, 0, 0],
  ]);
  expect(await embedder.embedQuery('ccc')).toEqual([3, 0, 0]);
});

test('an Embeddings object can treat queries differently', async () => {
  class Model {
    size = 1;
    embedDocuments(texts: string[]) {
      return Promise.resolve(texts.map(() => [this.size, 0, 0]));
    }
    embedQuery() {
      return Promise.resolve([0, this.size, 0]);
    }
  }
  const embedder = await mine(new Model());
  expect([await embedder.embedTexts(['a']), await embedder.embedQuery('a')]).toEqual([
    [[1, 0, 0]],
    [0, 1, 0],
  ]);
});

test.each<[string, unknown, string]>([
  ['of another size', async () => [[1, 2]], 'makes vectors of 2 dimensions; store.index.dims is 3'],
  ['too few', async () => [], 'returned 0 vectors for 1 texts'],
  ['not finite', async () => [[1, Number.NaN, 0]], 'finite'],
  ['not vectors', async () => ['abc'], 'finite'],
])('vectors that are %s are refused', async (_, embed, message) => {
  const failed = (await mine(embed)).embedTexts(['a']);
  await expect(failed).rejects.toMatchObject({
    name: 'WrongEmbedding',
    status: 422,
    message: expect.stringContaining(message),
  });
});

test('a function that throws makes the store unavailable and keeps its error for the log', async () => {
  const embedder = await mine(() => Promise.reject(new Error('secret host')));
  const error = await embedder.embedTexts(['a']).catch((error: unknown) => error as Error);
  expect(error).toMatchObject({ status: 503, cause: new Error('secret host') });
  expect((error as Error).message).not.toContain('secret');
});

test.each<[string, unknown, RegExp]>([
  ['cohere:embed-v3', undefined, /no embedding provider 'cohere'/],
  ['openai:text-embedding-3-small', undefined, /OPENAI_API_KEY is not set/],
  ['./embed.ts:embed', { embed: 1 }, /neither a function/],
  ['./embed.ts:Embed', class Embed extends Map {}, /neither a function/],
])('%s stops the start', async (embed, exported, message) => {
  const failed = createEmbedder(index(embed), { project: project(exported), env: {}, log });
  await expect(failed).rejects.toMatchObject({
    name: 'InvalidProject',
    message: expect.stringMatching(message),
  });
});
