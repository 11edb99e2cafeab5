import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'langsmith';
import { API_KEY, ask, type PlatformProcess, usePlatform } from '../support/platform.ts';

const platform = usePlatform();
let api: PlatformProcess;
let client: Client;
beforeAll(async () => {
  api = await platform.start('api');
  client = new Client({ apiUrl: api.url, apiKey: API_KEY, cache: false });
});

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** A prompt as LangChain serialises it. */
const prompt = (template: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs: { template, input_variables: ['who'], template_format: 'f-string' },
});
/** A commit as returned; the SDK's type lacks some fields. */
type Listed = Awaited<ReturnType<Client['pullPromptCommit']>> & {
  id: string;
  parent_commit_hash: string | null;
};
const commitsOf = async (name: string) => (await all(client.listCommits(name))) as unknown as Listed[];
const uncached = { skipCache: true };

test('the SDK pushes, pulls and tags a prompt and reads its history', async () => {
  await client.pushPrompt('greeting', {
    object: prompt('Hi {who}'),
    description: 'Says hi',
    tags: ['short'],
    commitTags: ['production'],
    commitDescription: 'the first',
  });
  const [first] = await commitsOf('greeting');
  expect(first).toMatchObject({ parent_commit_hash: null, manifest: prompt('Hi {who}') });
  expect(first!.commit_hash).toMatch(/^[0-9a-f]{64}$/);
  await client.pushPrompt('greeting', { object: prompt('Hello {who}') });

  const latest = await client.pullPromptCommit('greeting', uncached);
  expect(latest).toMatchObject({
    manifest: prompt('Hello {who}'),
    owner: '-',
    repo: 'greeting',
    examples: [],
  });
  for (const ref of ['production', first!.commit_hash, first!.commit_hash.slice(0, 8)])
    expect((await client.pullPromptCommit(`greeting:${ref}`, uncached)).manifest).toEqual(prompt('Hi {who}'));
  for (const ref of ['staging', 'ffffffff', first!.commit_hash.slice(0, 7)])
    await expect(client.pullPromptCommit(`greeting:${ref}`, uncached)).rejects.toMatchObject({ status: 404 });
  const commits = await commitsOf('greeting');
  expect(commits.map((commit) => commit.commit_hash)).toEqual([latest.commit_hash, first!.commit_hash]);
  expect(commits[0]!.parent_commit_hash).toBe(first!.commit_hash);
  expect(await client.getPrompt('greeting')).toMatchObject({
    full_name: expect.stringMatching(/^workspace-[0-9a-f-]{36}\/greeting$/),
    description: 'Says hi',
    tags: ['short'],
    num_commits: 2,
    last_commit_hash: latest.commit_hash,
    num_downloads: 4,
    is_public: false,
  });
});

test('rejects a push without changes or with a stale parent', async () => {
  await client.pushPrompt('careful', { object: prompt('1') });
  await expect(client.pushPrompt('careful', { object: prompt('1') })).rejects.toMatchObject({ status: 409 });
  const [first] = await commitsOf('careful');
  await client.pushPrompt('careful', { object: prompt('2') });
  const stale = { object: prompt('3'), parentCommitHash: first!.commit_hash };
  await expect(client.pushPrompt('careful', stale)).rejects.toMatchObject({ status: 409 });
  const pushed = await Promise.all(
    ['4', '5'].map((text) => client.createCommit('careful', prompt(text)).catch(() => 'refused')),
  );
  // They may have read the latest commit concurrently or one after another.
  expect(await commitsOf('careful')).toHaveLength(2 + pushed.filter((answer) => answer !== 'refused').length);
  const alone = await ask(api.url, 'POST', '/commits/-/careful', { manifest: prompt('6') });
  expect(alone.status).toBe(409);
});

test('moves, lists and removes tags', async () => {
  await client.pushPrompt('tagged', { object: prompt('a'), commitTags: 'live' });
  await client.pushPrompt('tagged', { object: prompt('b'), commitTags: ['live'] });
  expect((await client.pullPromptCommit('tagged:live', uncached)).manifest).toEqual(prompt('b'));
  const [newest, oldest] = await commitsOf('tagged');
  const path = '/repos/-/tagged/tags';
  const moved = await ask(api.url, 'PATCH', `${path}/live`, { commit_id: oldest!.id });
  expect(moved.json).toMatchObject({ tag_name: 'live', commit_hash: oldest!.commit_hash });
  expect((await ask(api.url, 'GET', path)).json).toMatchObject([{ tag_name: 'live', commit_id: oldest!.id }]);
  expect((await ask(api.url, 'POST', path, { tag_name: 'latest', commit_id: newest!.id })).status).toBe(422);
  expect((await ask(api.url, 'POST', path, { tag_name: 'x', commit_id: randomUUID() })).status).toBe(404);
  expect((await ask(api.url, 'DELETE', `${path}/live`)).status).toBe(204);
  expect((await ask(api.url, 'GET', `${path}/live`)).status).toBe(404);
});

test('searches, likes, updates and deletes prompts', async () => {
  await client.createPrompt('translate', { description: 'into French', tags: ['language'] });
  await client.createPrompt('transcribe', { description: 'speech' });
  expect((await all(client.listPrompts({ query: 'FRENCH' }))).map((found) => found.repo_handle)).toEqual([
    'translate',
  ]);
  const page = await ask(
    api.url,
    'GET',
    '/repos?query=tran&match_prefix=true&sort_field=repo_handle&limit=1',
  );
  expect(page.json).toMatchObject({ total: 2, repos: [{ repo_handle: 'translate' }] });
  expect((await ask(api.url, 'GET', '/repos/?tags=language')).json.total).toBe(1);
  expect(await client.likePrompt('translate')).toEqual({ likes: 1 });
  expect(await client.likePrompt('translate')).toEqual({ likes: 1 });
  expect(await client.getPrompt('translate')).toMatchObject({ num_likes: 1, liked_by_auth_user: true });
  expect(await client.unlikePrompt('translate')).toEqual({ likes: 0 });
  await client.updatePrompt('translate', { isArchived: true, readme: '# Hi' });
  expect(await all(client.listPrompts({ query: 'french' }))).toEqual([]);
  expect(await all(client.listPrompts({ query: 'french', isArchived: true }))).toMatchObject([
    { readme: '# Hi', description: 'into French' },
  ]);
  await client.deletePrompt('translate');
  expect(await client.promptExists('translate')).toBe(false);
  expect((await ask(api.url, 'POST', '/repos/', { repo_handle: 'transcribe' })).status).toBe(409);
  expect((await ask(api.url, 'POST', '/repos', { repo_handle: 'Not A Handle' })).status).toBe(422);
});

test("returns a prompt's model only with include_model", async () => {
  const manifest = {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'schema', 'runnable', 'RunnableSequence'],
    kwargs: { first: prompt('{who}?'), last: { lc: 1, type: 'constructor', id: ['ChatOpenAI'], kwargs: {} } },
  };
  await client.pushPrompt('modelled', { object: manifest });
  expect((await client.pullPromptCommit('modelled', uncached)).manifest).toEqual(prompt('{who}?'));
  const whole = await client.pullPromptCommit('modelled', { ...uncached, includeModel: true });
  expect(whole.manifest).toEqual(manifest);
});

test('other tenants read a public prompt by its handle, only the owner updates it', async () => {
  await client.createPrompt('open');
  const { tenant_handle, id } = (await ask(api.url, 'GET', '/settings')).json;
  expect(tenant_handle).toBe(`workspace-${id}`);
  await expect(ask(api.url, 'PATCH', '/repos/-/open', { is_public: true })).resolves.toMatchObject({
    status: 200,
    json: { repo: { full_name: `${tenant_handle}/open` } },
  });
  // The default handle of another workspace.
  await expect(
    ask(api.url, 'POST', '/settings/handle', { tenant_handle: `workspace-${randomUUID()}` }),
  ).resolves.toMatchObject({ status: 409 });
  const named = await ask(api.url, 'POST', '/settings/handle', { tenant_handle: 'acme' });
  expect(named.json).toMatchObject({ tenant_handle: 'acme', id: expect.any(String) });
  const owner = new Client({ apiUrl: api.url, apiKey: API_KEY, cache: false });
  await owner.pushPrompt('acme/open', { object: prompt('o'), isPublic: true });
  const tenant = randomUUID();
  // Belongs to another tenant.
  await platform.db.query(
    `insert into tracing.hub_settings (tenant_id, tenant_handle) values ($1, 'rival')`,
    [tenant],
  );
  await platform.db.query(
    `insert into tracing.repo (id, tenant_id, repo_handle, is_public) values ($2, $1, 'theirs', true), ($3, $1, 'hidden', false)`,
    [tenant, randomUUID(), randomUUID()],
  );
  expect((await ask(api.url, 'GET', '/repos/rival/theirs')).json.repo).toMatchObject({
    full_name: 'rival/theirs',
  });
  for (const path of ['/repos/rival/hidden', '/repos/-/theirs', '/commits/rival/hidden/latest'])
    expect((await ask(api.url, 'GET', path)).status).toBe(404);
  expect((await ask(api.url, 'PATCH', '/repos/rival/theirs', { readme: 'x' })).status).toBe(403);
  expect((await ask(api.url, 'DELETE', '/repos/rival/theirs')).status).toBe(403);
  expect((await ask(api.url, 'POST', '/commits/rival/theirs', { manifest: {} })).status).toBe(403);
  const open = (await all(owner.listPrompts({ isPublic: true }))).map((found) => found.full_name);
  expect(open.sort()).toEqual(['acme/open', 'rival/theirs']);
  expect((await ask(api.url, 'GET', '/repos')).json.repos).not.toContainEqual(
    expect.objectContaining({ owner: 'rival' }),
  );
  expect((await ask(api.url, 'POST', '/settings/handle', { tenant_handle: 'rival' })).status).toBe(409);
});

test('pushes agents and skills as directories in parts', async () => {
  const owner = new Client({ apiUrl: api.url, apiKey: API_KEY, cache: false });
  const file = (content: string) => ({ type: 'file' as const, content });
  await owner.pushAgent('helper', { files: { 'a.md': file('1'), 'b.md': file('2') } });
  const first = await owner.pullAgent('helper');
  expect(first.files).toEqual({ 'a.md': file('1'), 'b.md': file('2') });
  await owner.pushAgent('helper', { files: { 'a.md': file('3'), 'b.md': null } });
  expect((await owner.pullAgent('helper')).files).toEqual({ 'a.md': file('3') });
  expect((await owner.pullAgent('helper', { version: first.commit_hash })).files).toEqual(first.files);
  expect((await all(owner.listAgents())).map((found) => found.repo_handle)).toEqual(['helper']);
  await owner.deleteAgent('helper');
  expect(await owner.agentExists('helper')).toBe(false);
});

test('identifies the caller, ignores vendor telemetry and rejects generation with a reason', async () => {
  const { json: settings } = await ask(api.url, 'GET', '/settings');
  expect((await ask(api.url, 'GET', '/api/v1/auth')).json).toMatchObject({
    tenant_id: settings.id,
    reads: true,
    writes: true,
  });
  expect((await ask(api.url, 'GET', '/workspaces')).json).toEqual([settings]);
  expect((await ask(api.url, 'GET', '/auth', undefined, {})).status).toBe(401);
  for (const path of ['/v1/beacon', '/api/v1/beacon', '/v1/metadata/submit', '/api/v1/metadata/submit'])
    expect((await ask(api.url, 'POST', path, { any: 'thing' }, {})).status).toBe(202);
  const refused = await ask(api.url, 'POST', '/generate', {});
  expect(refused).toMatchObject({
    status: 404,
    json: { detail: expect.stringContaining('no hosted model') },
  });
});
