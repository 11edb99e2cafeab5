import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/platform/package-root.ts';
import { useApi } from '../support/use-api.ts';

const graph = fileURLToPath(new URL('test/fixtures/graphs/src/echo.ts', packageRoot));
const EMBED = `export const embed = async (texts) => texts.map((text) => ['cat', 'dog', 'car'].map((word) => text.split(word).length - 1));`;

/** A project whose store embeds the field `text` with a custom function. */
const dir = mkdtempSync(join(tmpdir(), 'slipway-store-'));
writeFileSync(join(dir, 'embed.mjs'), EMBED);
const store = { index: { dims: 3, embed: './embed.mjs:embed', fields: ['text'] }, ttl: { default_ttl: 60 } };
writeFileSync(join(dir, 'graph.json'), JSON.stringify({ graphs: { echo: `${graph}:graph` }, store }));

const api = useApi({ config: join(dir, 'graph.json') });
afterAll(() => rmSync(dir, { recursive: true }));

test('the SDK finds items by meaning', async () => {
  const { store } = new Client({ apiUrl: api.url });
  await store.putItem(['memo'], 'pet', { text: 'dog and cat' });
  await store.putItem(['memo'], 'dogs', { text: 'dog dog' }, { ttl: null });
  await store.putItem(['memo'], 'cars', { text: 'car' }, { ttl: 5 });
  await store.putItem(['memo'], 'hidden', { text: 'dog' }, { index: false });
  const { items } = await store.searchItems(['memo'], { query: 'dog', limit: 3, refreshTtl: false });
  expect(items.map(({ key, score }) => [key, score?.toFixed(3)])).toEqual([
    ['dogs', '1.000'],
    ['pet', '0.707'],
    ['cars', '0.000'],
  ]);
  expect(await store.getItem(['memo'], 'pet', { refreshTtl: true })).toMatchObject({
    value: { text: 'dog and cat' },
    createdAt: items[1]!.createdAt,
  });
  expect(await store.listNamespaces({ prefix: ['memo'] })).toEqual({ namespaces: [['memo']] });
  await store.deleteItem(['memo'], 'pet');
  expect(await store.getItem(['memo'], 'pet')).toBeNull();
});
