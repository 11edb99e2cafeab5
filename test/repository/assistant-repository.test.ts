import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import type { AssistantSearch } from '../../src/agent-server/records/assistant.ts';
import { findAssistantByRef } from '../../src/agent-server/records/assistant-reference.ts';
import {
  countAssistants,
  deleteAssistant,
  findAssistant,
  insertAssistant,
  listVersions,
  lockAssistant,
  restoreVersion,
  searchAssistants,
  updateAssistant,
} from '../../src/agent-server/records/assistant-repository.ts';
import { readSystemSettings } from '../../src/agent-server/assistants/system-settings.ts';
import { syncSystemAssistants } from '../../src/agent-server/assistants/system-assistants.ts';
import { inTransaction } from '../../src/platform/db/database.ts';
import { systemAssistantId } from '../../src/platform/ids.ts';
import { useDatabase } from '../support/use-database.ts';

const database = useDatabase();

beforeEach(() => database.db.query('truncate assistant cascade'));

const make = async (fields: { name?: string; graph_id?: string; metadata?: Record<string, unknown> } = {}) =>
  (await insertAssistant(database.db, {
    assistant_id: randomUUID(),
    graph_id: 'agent',
    config: {},
    context: {},
    metadata: {},
    description: null,
    ...fields,
  }))!;

const search = (fields: Partial<AssistantSearch> = {}) =>
  searchAssistants(database.db, {
    limit: 10,
    offset: 0,
    sort_by: 'created_at',
    sort_order: 'desc',
    ...fields,
  });

test('a new assistant is its own first version', async () => {
  const assistant = await make({ metadata: { team: 'a' } });
  const { updated_at, ...version } = assistant;
  expect(assistant).toMatchObject({
    name: 'Untitled',
    description: null,
    version: 1,
    created_at: updated_at,
  });
  expect(await listVersions(database.db, assistant.assistant_id, { limit: 10, offset: 0 })).toEqual([
    version,
  ]);
  expect(await insertAssistant(database.db, assistant)).toBeUndefined();
});

test('parallel changes each create a version, also after a restore', async () => {
  const { assistant_id } = await make({ metadata: { a: 1 } });
  const change = (name: string) =>
    inTransaction(database.db, async (tx) =>
      updateAssistant(tx, { ...(await lockAssistant(tx, assistant_id))!, name, metadata: { b: 2 } }),
    );
  const changed = await Promise.all(['one', 'two', 'three'].map(change));
  expect(new Set(changed.map(({ version }) => version))).toEqual(new Set([2, 3, 4]));
  expect(changed[0]!.metadata).toEqual({ a: 1, b: 2 });

  expect(await restoreVersion(database.db, assistant_id, 1)).toMatchObject({
    version: 1,
    name: 'Untitled',
    metadata: { a: 1 },
  });
  expect(await restoreVersion(database.db, assistant_id, 9)).toBeUndefined();
  expect((await change('four')).version).toBe(5);
  const versions = await listVersions(database.db, assistant_id, { limit: 2, offset: 1 });
  expect(versions.map(({ version }) => version)).toEqual([4, 3]);
  expect(await listVersions(database.db, assistant_id, { limit: 10, offset: 0, metadata: { b: 3 } })).toEqual(
    [],
  );
});

test('search filters by graph, name and metadata, and returns one more than requested', async () => {
  await make({
    name: 'Ärztin 100%',
    graph_id: 'other',
    metadata: { tags: ['x', 'y'], deep: { a: 1, b: 2 } },
  });
  for (let i = 0; i < 3; i++) await make();
  expect(await search({ limit: 2 })).toHaveLength(3);
  expect(await search({ name: 'äRZ' })).toHaveLength(1);
  expect(await search({ name: '0%' })).toHaveLength(1);
  expect(await search({ name: '_' })).toHaveLength(0);
  expect(await search({ graph_id: 'other' })).toHaveLength(1);
  expect(await search({ metadata: { tags: ['y'], deep: { b: 2 } } })).toHaveLength(1);
  expect(await search({ metadata: { tags: 'y' } })).toHaveLength(0);
  expect(await countAssistants(database.db, { graph_id: 'agent', metadata: {} })).toBe(3);
  expect(await search({ select: ['name'], sort_by: 'name', sort_order: 'asc', limit: 1 })).toEqual([
    { name: 'Untitled' },
    { name: 'Untitled' },
  ]);
});

test('finds an assistant by id or graph name', async () => {
  await syncSystemAssistants(database.db, [{ graph_id: 'agent' }]);
  const own = await make();
  expect(await findAssistant(database.db, 'agent')).toMatchObject({
    assistant_id: systemAssistantId('agent'),
  });
  expect(await findAssistantByRef(database.db, own.assistant_id)).toEqual(own);
  const refusal = (status: number) => expect.objectContaining({ status });
  await expect(findAssistantByRef(database.db, 'no such graph')).rejects.toEqual(refusal(422));
  await expect(findAssistantByRef(database.db, randomUUID())).rejects.toEqual(refusal(404));
});

test('deleting an assistant removes its versions', async () => {
  const { assistant_id } = await make();
  expect(await deleteAssistant(database.db, assistant_id)).toBe(true);
  expect(await deleteAssistant(database.db, assistant_id)).toBe(false);
  expect(await listVersions(database.db, assistant_id, { limit: 10, offset: 0 })).toEqual([]);
});

test("system assistants match the project's graphs after any number of concurrent starts", async () => {
  const own = await make({ graph_id: 'gone', metadata: { created_by: 'system' } });
  const start = (...graphs: { graph_id: string; description?: string }[]) =>
    Promise.all([1, 2, 3].map(() => syncSystemAssistants(database.db, graphs)));
  await start({ graph_id: 'agent', description: 'old' }, { graph_id: 'gone' });
  const first = (await findAssistant(database.db, 'agent'))!;
  expect(first).toMatchObject({
    name: 'agent',
    graph_id: 'agent',
    version: 1,
    metadata: { created_by: 'system' },
  });

  await inTransaction(database.db, (tx) =>
    updateAssistant(tx, { ...first, name: 'renamed', config: { tags: ['kept'] }, metadata: { mine: true } }),
  );
  await start({ graph_id: 'agent', description: 'new' }, { graph_id: 'another' });
  expect(await findAssistant(database.db, 'agent')).toMatchObject({
    name: 'agent',
    description: 'new',
    version: 2,
    config: { tags: ['kept'] },
    metadata: { created_by: 'system', mine: true },
  });
  const [latest] = await listVersions(database.db, first.assistant_id, { limit: 1, offset: 0 });
  expect(latest).toMatchObject({ version: 2, name: 'agent', description: 'new' });
  expect(await findAssistant(database.db, 'gone')).toBeUndefined();
  expect(await findAssistant(database.db, own.assistant_id)).toEqual(own);
});

test('settings from the environment apply until the assistant is changed', async () => {
  const start = (model: string) => {
    const env = { LANGGRAPH_CONFIG: JSON.stringify({ agent: { configurable: { model } } }) };
    const settings = readSystemSettings(env).get('agent');
    return syncSystemAssistants(database.db, [{ graph_id: 'agent', settings }]);
  };
  await start('small');
  await start('large');
  const first = (await findAssistant(database.db, 'agent'))!;
  const settings = { config: { configurable: { model: 'large' } }, context: { model: 'large' } };
  expect(first).toMatchObject({ ...settings, version: 1 });
  const versions = () => listVersions(database.db, first.assistant_id, { limit: 10, offset: 0 });
  expect(await versions()).toMatchObject([settings]);
  await inTransaction(database.db, (tx) => updateAssistant(tx, { ...first, config: { tags: ['own'] } }));
  await start('small');
  expect(await findAssistant(database.db, 'agent')).toMatchObject({ version: 2, config: { tags: ['own'] } });
  expect(await versions()).toMatchObject([{ config: { tags: ['own'] } }, settings]);
});

test.each(['{', '[]', '{"agent":{"recursion_limit":"many"}}'])(
  'invalid settings stop the start: %s',
  (LANGGRAPH_CONFIG) => {
    expect(() => readSystemSettings({ LANGGRAPH_CONFIG })).toThrow(/^LANGGRAPH_CONFIG: /);
  },
);

test('a start without changes leaves the assistants unchanged', async () => {
  await syncSystemAssistants(database.db, [{ graph_id: 'agent' }]);
  const before = await findAssistant(database.db, 'agent');
  await syncSystemAssistants(database.db, [{ graph_id: 'agent' }]);
  expect(await findAssistant(database.db, 'agent')).toEqual(before);
});
