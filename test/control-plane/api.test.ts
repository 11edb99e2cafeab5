import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Caller } from '../support/control-plane-caller.ts';
import { useControlPlane } from '../support/use-control-plane.ts';

const plane = useControlPlane({
  SLIPWAY_REGISTRY_URL: 'registry.example.com/agents',
  SLIPWAY_REGISTRY_PASSWORD: 'a push token',
  SLIPWAY_INTEGRATIONS: JSON.stringify([
    {
      name: 'acme',
      repositories: [{ owner: 'acme', name: 'agent', url: 'https://git.example.com/acme/agent.git' }],
    },
    { name: 'other', tenant_id: randomUUID(), repositories: [] },
  ]),
});
let api: Caller;
beforeAll(async () => {
  api = new Caller(plane.url, { 'x-api-key': await plane.key('deployer') });
});

const LIST = '/v2/deployments';
const uploaded = (name: string) => ({ name, source: 'internal_source', secrets: [] });
// The repository for this tenant's images, according to the settings.
const inRegistry = (image: string) => `registry.example.com/agents/${plane.tenant}/${image}`;
const faultOf = (json: { detail: { loc: unknown[] }[] }) => json.detail[0]!.loc.join('.');

const nameOf = ({ name }: { name: string }): string => name;

describe('both vocabularies are accepted on both mounts, and each mount responds in its own', () => {
  test.each([
    ['', 'github', 'langgraph_config_path', 'git_host', 'graph_config_path'],
    ['', 'git_host', 'graph_config_path', 'git_host', 'graph_config_path'],
    ['/api-host', 'git_host', 'graph_config_path', 'github', 'langgraph_config_path'],
    ['/api-host', 'github', 'langgraph_config_path', 'github', 'langgraph_config_path'],
  ])('%s %s %s', async (mount, source, key, answered, answeredKey) => {
    const { status, json } = await api.post(mount + LIST, {
      name: `words-${randomUUID().slice(0, 8)}`,
      source,
      source_config: { repo_url: 'https://git.example.com/acme/agent.git' },
      source_revision_config: { repo_ref: 'main', [key]: 'agent/graph.json' },
      secrets: [],
    });
    expect(status).toBe(201);
    expect(json.source).toBe(answered);
    expect(json.source_revision_config[answeredKey]).toBe('agent/graph.json');
    const revision = await api.get(`${mount}${LIST}/${json.id}/revisions/${json.latest_revision_id}`);
    expect(revision.json.source).toBe(answered);
    expect(revision.json.source_revision_config[answeredKey]).toBe('agent/graph.json');
  });
});

describe('create', () => {
  test('returns the first revision, if the source has one', async () => {
    const { json } = await api.post(LIST, uploaded('to-come'));
    expect(json).toMatchObject({
      latest_revision_id: null,
      active_revision_id: null,
      tenant_id: plane.tenant,
    });
    const image = await api.post(LIST, {
      name: 'at-once',
      source: 'external_docker',
      source_revision_config: { image_uri: 'registry.example.com/agent@sha256:0' },
      secrets: [],
    });
    expect(image.json.latest_revision_id).toEqual(expect.any(String));
  });

  test('an existing name is refused', async () => {
    expect((await api.post(LIST, uploaded('taken'))).status).toBe(201);
    const { status, json } = await api.post(LIST, uploaded('taken'));
    expect(status).toBe(409);
    expect(json.detail).toContain('taken');
  });

  test.each([
    ['no name', { source: 'internal_source' }, 'body.name'],
    ['a source it does not know', { name: 'x', source: 'svn' }, 'body.source'],
    ['a repository without an address', { name: 'x', source: 'git_host' }, 'body.source_config.repo_url'],
    [
      'an image without its address',
      { name: 'x', source: 'external_container' },
      'body.source_revision_config.image_uri',
    ],
    [
      'what is another source’s',
      { ...uploaded('x'), source_revision_config: { image_uri: 'a' } },
      'body.source_revision_config.image_uri',
    ],
    [
      'a tag that is built on push',
      {
        name: 'x',
        source: 'git_host',
        source_config: { repo_url: 'https://git.example.com/a.git', build_on_push: true },
        source_revision_config: { repo_ref: 'refs/tags/v1' },
      },
      'body.source_config.build_on_push',
    ],
    [
      'a name of the platform',
      { ...uploaded('x'), secrets: [{ name: 'PORT', value: '1' }] },
      'body.secrets.0.name',
    ],
    [
      'a name given twice',
      {
        ...uploaded('x'),
        secrets: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
      'body.secrets.1.name',
    ],
    [
      'more cores than there may be',
      { ...uploaded('x'), source_config: { resource_spec: { cpu: 64 } } },
      'body.source_config.resource_spec.cpu',
    ],
    ['what is no name', { ...uploaded('x'), secrets: [{ name: 'A-B', value: '1' }] }, 'body.secrets.0.name'],
  ])('%s is a 422 with its place', async (_what, body, place) => {
    const { status, json } = await api.post(LIST, body);
    expect(status).toBe(422);
    expect(faultOf(json)).toBe(place);
  });
});

describe('the list', () => {
  test('filters by name, part of a name, ids and status; ignores empty and unknown filters', async () => {
    const { json: one } = await api.post(LIST, uploaded('Filter-One'));
    await api.post(LIST, uploaded('filter-two'));
    const names = async (query: string) =>
      (await api.get(`${LIST}?limit=100&${query}`)).json.resources.map(({ name }: { name: string }) => name);
    expect(await names('name=filter-two')).toEqual(['filter-two']);
    expect(await names('name=filter')).toEqual([]);
    expect(await names('name_contains=filter-')).toEqual(['filter-two', 'Filter-One']);
    expect((await names('name_contains=')).length).toBeGreaterThan(2);
    expect((await names('nonsense=1&name_contains=FILTER')).length).toBe(2);
    expect(await names(`deployment_ids=${one.id},${randomUUID()}`)).toEqual(['Filter-One']);
    expect(await names('name_contains=filter&status=AWAITING_DATABASE,READY')).toHaveLength(2);
    expect(await names('name_contains=filter&status=UNUSED')).toEqual([]);
    expect(await names('name_contains=filter&remote_reconciled=true')).toEqual([]);
    expect(await names('tag_value_ids=a')).toEqual([]);
  });

  test.each([['deployment_ids=seven'], ['status=GONE'], ['limit=101'], ['limit=0'], ['offset=-1']])(
    '%s is a 422',
    async (query) => {
      const { status, json } = await api.get(`${LIST}?${query}`);
      expect(status).toBe(422);
      expect(json.detail[0].loc[0]).toBe('query');
    },
  );
});

describe('patch', () => {
  test('of unbuilt fields creates no revision; null changes nothing', async () => {
    const { json } = await api.post(LIST, {
      name: 'patched',
      source: 'external_container',
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
      secrets: [{ name: 'A', value: '1' }],
    });
    const path = `${LIST}/${json.id}`;
    const named = await api.patch(path, {
      display_name: 'Patched',
      source_config: { build_on_push: null },
      source_revision_config: { image_uri: null },
      secrets: [],
    });
    expect(named.json).toMatchObject({
      display_name: 'Patched',
      latest_revision_id: json.latest_revision_id,
    });
    const again = await api.patch(path, {
      source_revision_config: { image_uri: 'registry.example.com/agent:2' },
    });
    expect(again.json.latest_revision_id).not.toBe(json.latest_revision_id);
    expect(again.json.secrets).toEqual([{ name: 'A', value: null }]);
    const merge = { secrets: [{ name: 'B', value: 'b' }], secrets_mode: 'merge' };
    expect((await api.patch(path, merge)).json.secrets.map(nameOf)).toEqual(['A', 'B']);
    const less = await api.patch(path, { secrets_mode: 'merge', removed_secrets: ['A'] });
    expect(less.json.secrets.map(nameOf)).toEqual(['B']);
    const same = await api.patch(path, { secrets_mode: 'merge' });
    expect(same.json.latest_revision_id).toBe(less.json.latest_revision_id);
    const cleared = await api.patch(path, { secrets: [], secrets_mode: 'replace' });
    expect(cleared.json.secrets).toEqual([]);
  });

  test('refuses to change fixed fields, but accepts the same values', async () => {
    const { json } = await api.post(LIST, uploaded('fixed'));
    const path = `${LIST}/${json.id}`;
    for (const [body, place] of [
      [{ source: 'external_container' }, 'body.source'],
      [{ name: 'renamed' }, 'body.name'],
      [{ source_config: { deployment_type: 'prod' } }, 'body.source_config.deployment_type'],
    ] as const) {
      const refused = await api.patch(path, body);
      expect([refused.status, faultOf(refused.json)]).toEqual([422, place]);
      expect((await api.post(`${path}/revisions`, body)).status).toBe(422);
    }
    const { name, source } = json;
    const same = await api.patch(path, { name, source, display_name: 'Fixed' });
    expect([same.status, same.json.display_name]).toEqual([200, 'Fixed']);
  });

  test('agents are private by default, and changing that creates no revision', async () => {
    const { json } = await api.post(LIST, { name: 'accessible', source: 'internal_source' });
    expect(json.access).toBe('private');
    const path = `${LIST}/${json.id}`;
    const opened = await api.patch(path, { access: 'public' });
    expect(opened.json).toMatchObject({ access: 'public', latest_revision_id: json.latest_revision_id });
    expect((await api.patch(path, { display_name: 'Open' })).json.access).toBe('public');
    expect((await api.patch(path, { access: 'private' })).json.access).toBe('private');
    expect((await api.patch(path, { access: 'everyone' })).status).toBe(422);
    const created = await api.post(LIST, { name: 'open', source: 'internal_source', access: 'public' });
    expect(created.json.access).toBe('public');
  });

  test('secret references are kept, cleared by an empty list, and for external images only', async () => {
    const reference = { name: 'MODEL_KEY', secret_name: 'models', secret_key: 'key' };
    const { json } = await api.post(LIST, {
      name: 'referring',
      source: 'external_container',
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
      secrets: [],
      secret_references: [reference],
    });
    expect(json.secret_references).toEqual([reference]);
    const path = `${LIST}/${json.id}`;
    const image = { source_revision_config: { image_uri: 'registry.example.com/agent:2' } };
    expect((await api.patch(path, image)).json.secret_references).toEqual([reference]);
    const before = (await api.get(path)).json.latest_revision_id;
    const cleared = (await api.patch(path, { secret_references: [] })).json;
    expect(cleared.secret_references).toEqual([]);
    expect(cleared.latest_revision_id).not.toBe(before);
    const refused = await api.post(LIST, { ...uploaded('no-references'), secret_references: [reference] });
    expect(faultOf(refused.json)).toBe('body.secret_references');
  });

  test('a password in a repository URL is refused, and not repeated', async () => {
    const { status, json, text } = await api.post(LIST, {
      name: 'private-repository',
      source: 'git_host',
      source_config: { repo_url: 'https://ada:secret-word@git.example.com/acme/agent.git' },
      source_revision_config: { repo_ref: 'main' },
      secrets: [],
    });
    expect([status, faultOf(json)]).toEqual([422, 'body.source_config.repo_url']);
    expect(text).not.toContain('secret-word');
  });

  test('If-Match refuses a concurrent change', async () => {
    const created = await api.post(LIST, uploaded('guarded'));
    const path = `${LIST}/${created.json.id}`;
    const etag = created.headers.get('etag')!;
    expect((await api.get(path)).headers.get('etag')).toBe(etag);
    const changed = await api.patch(path, { display_name: 'one' }, { 'if-match': etag });
    expect(changed.status).toBe(200);
    for (const stale of [etag, '"never"'])
      expect((await api.patch(path, { display_name: 'two' }, { 'if-match': stale })).status).toBe(412);
    const current = changed.headers.get('etag')!;
    expect((await api.patch(path, { display_name: 'three' }, { 'if-match': current })).status).toBe(200);
    expect((await api.patch(path, { display_name: 'four' }, { 'if-match': '*' })).status).toBe(200);
  });
});

describe('Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });

  test('a repeated request gets the same response and executes once', async () => {
    const headers = key();
    const first = await api.post(LIST, uploaded('once'), headers);
    const second = await api.post(LIST, uploaded('once'), headers);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(first.headers.get('idempotent-replayed')).toBeNull();
  });

  test('a different request with the same key is refused; a failed one can be corrected', async () => {
    const headers = key();
    expect((await api.post(LIST, { name: 'wrong' }, headers)).status).toBe(422);
    const refused = await api.post(LIST, uploaded('once'), headers);
    expect(refused.status).toBe(409);
    expect((await api.post(LIST, uploaded('put-right'), headers)).status).toBe(201);
    const other = await api.post(LIST, uploaded('something-else'), headers);
    expect(other.status).toBe(422);
    expect(faultOf(other.json)).toBe('header.idempotency-key');
  });

  test('two concurrent requests execute once', async () => {
    const headers = key();
    const answers = await Promise.all([1, 2, 3].map(() => api.post(LIST, uploaded('at-once-once'), headers)));
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const { json } = await api.get(`${LIST}?name=at-once-once`);
    expect(json.resources).toHaveLength(1);
  });

  test('a request whose process died before responding does not execute twice', async () => {
    const headers = key();
    const { json } = await api.post(LIST, uploaded('crash'), headers);
    const path = `${LIST}/${json.id}/revisions`;
    const again = key();
    const config = {
      revision_source: 'internal_docker',
      source_revision_config: { image_uri: inRegistry('b@sha256:1') },
    };
    const made = await api.post(path, config, again);
    // As if neither response had been stored.
    await plane.deps.db.query(
      `update control_plane.idempotency_key set status = null, claimed_at = '-infinity'
       where key = any($1)`,
      [[headers['idempotency-key'], again['idempotency-key']]],
    );
    expect((await api.post(LIST, uploaded('crash'), headers)).json.id).toBe(json.id);
    expect((await api.post(path, config, again)).json.id).toBe(made.json.id);
    expect((await api.get(path)).json.resources).toHaveLength(1);
  });

  test('a key is valid for a day', async () => {
    const headers = key();
    await api.post(LIST, uploaded('yesterday'), headers);
    await plane.deps.db.query(
      `update control_plane.idempotency_key set created_at = now() - interval '25 hours' where key = $1`,
      [headers['idempotency-key']],
    );
    expect((await api.post(LIST, uploaded('today'), headers)).status).toBe(201);
  });
});

test('bulk delete: 200 for all, 207 for some, 404 for none, 422 for too many', async () => {
  const ids: string[] = [];
  for (const name of ['gone-1', 'gone-2', 'gone-3']) ids.push((await api.post(LIST, uploaded(name))).json.id);
  const query = (list: string[]) => `${LIST}?${list.map((id) => `deployment_ids=${id}`).join('&')}`;
  const all = await api.delete(query(ids.slice(0, 2)));
  expect(all.status).toBe(200);
  const unknown = randomUUID();
  const part = await api.delete(query([ids[2]!, unknown]));
  expect(part.status).toBe(207);
  expect(part.json.resources).toEqual([
    { id: ids[2], deleted: true },
    { id: unknown, deleted: false, detail: `Deployment ID ${unknown} not found.` },
  ]);
  expect((await api.delete(query([unknown]))).status).toBe(404);
  expect((await api.delete(query(Array.from({ length: 101 }, () => randomUUID())))).status).toBe(422);
  expect((await api.delete(LIST)).status).toBe(422);
  for (const id of ids) await api.until(`${LIST}/${id}`, ({ status }) => status === 404);
});

test('projects are the same deployments as plain lists', async () => {
  const { status, json } = await api.post('/v1/projects', uploaded('project'));
  expect(status).toBe(201);
  expect((await api.get(`/v1/projects/${json.id}`)).json).toEqual((await api.get(`${LIST}/${json.id}`)).json);
  const list = await api.get('/v1/projects?name_contains=project');
  expect(list.json.map(({ id }: { id: string }) => id)).toEqual([json.id]);
  const made = await api.post(`/v1/projects/${json.id}/revisions`, {
    revision_source: 'internal_docker',
    source_revision_config: { image_uri: inRegistry('a@sha256:0') },
  });
  expect(made.status).toBe(201);
  expect(made.json.metadata).toEqual({ created_by: 'a deployer', repo_commit_sha: null });
  expect((await api.get(`/v1/projects/${json.id}/revisions`)).json).toHaveLength(1);
  expect((await api.get(`/v1/projects/${json.id}/revisions/${made.json.id}`)).json.id).toBe(made.json.id);
  expect((await api.delete(`/v1/projects/${json.id}`)).status).toBe(204);
});

test('a push token has the registry URL, for pushed images only', async () => {
  const pushed = (await api.post(LIST, { name: 'Pushed Image', source: 'internal_docker', secrets: [] }))
    .json;
  const { json } = await api.post(`/api-host${LIST}/${pushed.id}/push-token`, {
    supports_registry_username: true,
  });
  expect(json).toEqual({
    token: 'a push token',
    username: 'slipway',
    registry_url: `registry.example.com/agents/${plane.tenant}`,
    repository_url: `registry.example.com/agents/${plane.tenant}/pushed-image`,
  });
  const other = (await api.post(LIST, uploaded('not-pushed'))).json;
  const refused = await api.post(`${LIST}/${other.id}/push-token`);
  expect(refused.status).toBe(400);
  expect(refused.json.detail).toContain("only available for 'internal_docker' source deployments");
});

test('integrations lists those of the settings, only to authorized callers', async () => {
  const { json } = await api.get('/v1/integrations/github/install');
  expect(json).toEqual([{ id: expect.any(String), installation_id: 1, name: 'acme' }]);
  const path = `/api-host/v1/integrations/forge/github/${json[0].id}/repos`;
  expect((await api.get(path)).json).toEqual([
    {
      host_integration_id: json[0].id,
      id: 1,
      name: 'agent',
      owner: 'acme',
      url: 'https://git.example.com/acme/agent.git',
      default_branch: 'main',
    },
  ]);
  expect((await api.get(`/v1/integrations/github/${randomUUID()}/repos`)).status).toBe(404);
});
