import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useApi } from '../support/use-api.ts';
import { clientOf, SDKS } from './js-sdk-clients.ts';

const api = useApi();

describe.each(SDKS)('langgraph-sdk %s assistants', (_version, Sdk) => {
  const client = () => clientOf(Sdk, api).assistants;

  test('create returns the whole record', async () => {
    const assistant = await client().create({ graphId: 'echo', name: 'Polly', description: 'a parrot' });
    expect(assistant).toEqual({
      assistant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      graph_id: 'echo',
      config: {},
      context: {},
      metadata: {},
      name: 'Polly',
      description: 'a parrot',
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
      updated_at: expect.any(String),
    });
    expect(await client().get(assistant.assistant_id)).toEqual(assistant);
  });

  test('configurable and context mirror each other; giving both is refused', async () => {
    const configured = await client().create({
      graphId: 'stateful',
      config: { configurable: { user_id: 'ada' } },
    });
    expect(configured.context).toEqual({ user_id: 'ada' });
    const inContext = await client().create({ graphId: 'stateful', context: { user_id: 'bob' } });
    expect(inContext.config.configurable).toEqual({ user_id: 'bob' });
    const both = { graphId: 'stateful', config: { configurable: { a: 1 } }, context: { b: 2 } };
    await expect(client().create(both)).rejects.toMatchObject({ status: 422 });
  });

  test('an existing id is refused, or its assistant returned on request', async () => {
    const assistantId = randomUUID();
    const first = await client().create({ graphId: 'echo', assistantId, name: 'first' });
    await expect(client().create({ graphId: 'echo', assistantId })).rejects.toMatchObject({ status: 409 });
    const again = await client().create({
      graphId: 'echo',
      assistantId,
      ifExists: 'do_nothing',
      name: 'second',
    });
    expect(again).toEqual(first);
  });

  test('an unknown graph or assistant is a 404', async () => {
    await expect(client().create({ graphId: 'nope' })).rejects.toMatchObject({ status: 404 });
    await expect(client().get(randomUUID())).rejects.toMatchObject({ status: 404 });
    await expect(client().update(randomUUID(), { name: 'x' })).rejects.toMatchObject({ status: 404 });
    await expect(client().delete(randomUUID())).rejects.toMatchObject({ status: 404 });
  });

  test('a graph name stands for the system assistant of the graph', async () => {
    expect(await client().get('echo')).toMatchObject({
      name: 'echo',
      description: 'Answers with what it is given',
      metadata: { created_by: 'system' },
    });
  });

  test('update creates a version, getVersions lists them, setLatest restores one', async () => {
    const { assistant_id } = await client().create({
      graphId: 'echo',
      name: 'one',
      metadata: { a: 1, b: 1 },
    });
    const second = await client().update(assistant_id, {
      graphId: 'steps',
      name: 'two',
      metadata: { b: 2 },
      config: { configurable: { mood: 'calm' } },
    });
    expect(second).toMatchObject({
      version: 2,
      graph_id: 'steps',
      name: 'two',
      metadata: { a: 1, b: 2 },
      context: { mood: 'calm' },
    });
    expect(await client().update(assistant_id, {})).toMatchObject({ version: 3, name: 'two' });
    const versions = await client().getVersions(assistant_id);
    expect(versions.map(({ version, name }) => [version, name])).toEqual([
      [3, 'two'],
      [2, 'two'],
      [1, 'one'],
    ]);
    expect(await client().getVersions(assistant_id, { limit: 1, offset: 1 })).toHaveLength(1);
    expect(await client().getVersions(assistant_id, { metadata: { b: 1 } })).toMatchObject([{ version: 1 }]);
    const restored = await client().setLatest(assistant_id, 1);
    expect(restored).toMatchObject({
      version: 1,
      graph_id: 'echo',
      name: 'one',
      metadata: { a: 1, b: 1 },
      config: {},
    });
    expect(await client().getVersions(assistant_id)).toHaveLength(3);
    expect(await client().update(assistant_id, { name: 'four' })).toMatchObject({ version: 4 });
    await expect(client().setLatest(assistant_id, 99)).rejects.toMatchObject({ status: 404 });
  });

  test('search filters, sorts, paginates and selects; count matches', async () => {
    const lot = randomUUID();
    for (const name of ['Cherry', 'apple', 'Banana']) {
      await client().create({ graphId: 'echo', name, metadata: { lot, size: { cm: 3 } } });
    }
    const metadata = { lot };
    const names = async (query: object) =>
      (await client().search({ metadata, ...query })).map(({ name }) => name);
    expect(await names({})).toEqual(['Banana', 'apple', 'Cherry']);
    expect(await names({ sortBy: 'created_at', sortOrder: 'asc', limit: 2 })).toEqual(['Cherry', 'apple']);
    expect(await names({ sortBy: 'created_at', sortOrder: 'asc', limit: 2, offset: 2 })).toEqual(['Banana']);
    expect(await names({ name: 'AN' })).toEqual(['Banana']);
    expect(await names({ graphId: 'echo' })).toHaveLength(3);
    expect(await names({ graphId: 'steps' })).toEqual([]);
    expect(await names({ metadata: { lot, size: { cm: 4 } } })).toEqual([]);
    const page = await client().search({ metadata, limit: 2, includePagination: true });
    expect(page).toMatchObject({ assistants: [{ name: 'Banana' }, { name: 'apple' }], next: '2' });
    expect(await client().search({ metadata, limit: 3, includePagination: true })).toMatchObject({
      next: null,
    });
    expect(await client().search({ metadata, select: ['name', 'graph_id'], limit: 1 })).toEqual([
      { name: 'Banana', graph_id: 'echo' },
    ]);
    expect(await client().count({ metadata })).toBe(3);
    expect(await client().count({ metadata, name: 'an' })).toBe(1);
    expect(await client().count({ metadata, graphId: 'steps' })).toBe(0);
  });

  test('delete removes the assistant, and its threads on request', async () => {
    const sdk = clientOf(Sdk, api);
    const { assistant_id } = await sdk.assistants.create({ graphId: 'echo' });
    const { thread_id } = await sdk.threads.create();
    await sdk.runs.wait(thread_id, assistant_id, { input: { text: 'hi' } });
    await sdk.assistants.delete(assistant_id, { deleteThreads: true });
    await expect(sdk.assistants.get(assistant_id)).rejects.toMatchObject({ status: 404 });
    await expect(sdk.threads.get(thread_id)).rejects.toMatchObject({ status: 404 });
  });

  test('getGraph draws the graph; xray expands its subgraphs', async () => {
    const { nodes, edges } = await client().getGraph('parent');
    expect(nodes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['__start__', 'before', 'child', 'after', '__end__']),
    );
    expect(nodes).toHaveLength(5);
    expect(edges).toContainEqual(expect.objectContaining({ source: 'before', target: 'child' }));
    const opened = await client().getGraph('parent', { xray: true });
    expect(opened.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['child:question']));
    const one = await client().getGraph('parent', { xray: 1 });
    expect(one.nodes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['child:question', 'child:grandchild']),
    );
  });

  test('getSchemas returns input, output, state and context', async () => {
    const { assistant_id } = await client().get('typed');
    const schemas = await client().getSchemas(assistant_id);
    expect(schemas).toMatchObject({
      graph_id: 'typed',
      input_schema: { properties: { city: { type: 'string', description: 'Where to look' } } },
      output_schema: { properties: { forecast: { type: 'array' } } },
      state_schema: { properties: { city: {}, days: {}, forecast: {} } },
      context_schema: { properties: { unit: { enum: ['celsius', 'fahrenheit'] } } },
    });
    expect(Object.keys(schemas.input_schema!.properties!)).not.toContain('forecast');
  });

  test('getSubgraphs lists subgraphs by namespace', async () => {
    expect(Object.keys(await client().getSubgraphs('parent'))).toEqual(['child']);
    expect(Object.keys(await client().getSubgraphs('parent', { recurse: true })).sort()).toEqual([
      'child',
      'child|grandchild',
    ]);
    const named = await client().getSubgraphs('parent', { namespace: 'child' });
    expect(Object.keys(named)).toEqual(['child']);
    expect(named['child']!.state_schema!.properties).toMatchObject({ topic: { type: 'string' } });
    expect(await client().getSubgraphs('echo')).toEqual({});
  });
});
