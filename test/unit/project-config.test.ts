import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { projectEnvironment } from '../../src/agent-server/project/host-environment.ts';
import { readProjectConfig } from '../../src/agent-server/project/project-config.ts';
import { applyProjectEnv } from '../../src/agent-server/project/project-env.ts';

const root = mkdtempSync(join(tmpdir(), 'slipway-config-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let dir: string;
let count = 0;
beforeEach(() => {
  dir = join(root, String(count++));
  mkdirSync(dir);
});

const write = (name: string, content: unknown) =>
  writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));

const graphs = { agent: './agent.ts:graph' };

test('graph.json wins over langgraph.json, and a named file over both', () => {
  write('langgraph.json', { graphs: { second: './b.ts' } });
  expect(readProjectConfig(dir).config.graphs).toEqual({ second: './b.ts' });
  write('graph.json', { graphs: { first: './a.ts' } });
  expect(readProjectConfig(dir)).toMatchObject({ file: join(dir, 'graph.json'), dir });
  write('other.json', { graphs: { third: './c.ts' } });
  expect(readProjectConfig(join(dir, 'other.json')).config.graphs).toEqual({ third: './c.ts' });
});

test('an image without a config file is configured by its environment', () => {
  const variables = {
    LANGSERVE_GRAPHS: JSON.stringify({ agent: '/deps/project/agent.js:graph' }),
    LANGGRAPH_AUTH: JSON.stringify({ path: './auth.js:auth' }),
    LANGGRAPH_HTTP: JSON.stringify({ disable_mcp: true }),
    LANGGRAPH_STORE: '',
  };
  expect(readProjectConfig(dir, variables)).toEqual({
    file: join(dir, 'LANGSERVE_GRAPHS'),
    dir,
    config: {
      graphs: { agent: '/deps/project/agent.js:graph' },
      auth: { path: './auth.js:auth' },
      http: { disable_mcp: true },
    },
  });
  expect(() => readProjectConfig(dir, { ...variables, LANGGRAPH_AUTH: '{' })).toThrow(
    'LANGGRAPH_AUTH: not valid JSON',
  );
  expect(() => readProjectConfig(dir, { LANGSERVE_GRAPHS: '{"agent": 1}' })).toThrow(
    /^LANGSERVE_GRAPHS: graphs\.agent must be/,
  );
  expect(() => readProjectConfig(dir, { LANGGRAPH_AUTH: '{}' })).toThrow(
    /no graph\.json and no langgraph\.json/,
  );
  write('langgraph.json', { graphs });
  expect(readProjectConfig(dir, variables).config).toEqual({ graphs });
});

test('keys for builds and other platforms are accepted', () => {
  const config = {
    graphs,
    dependencies: ['.'],
    dockerfile_lines: [],
    node_version: '22',
    api_version: '0.3',
    _new: { a: 1 },
  };
  write('langgraph.json', config);
  expect(readProjectConfig(dir).config).toEqual(config);
});

test('every part of the contract is accepted', () => {
  const config = {
    graphs: { agent: { path: './agent.ts:graph', description: 'An agent' } },
    env: '.env',
    node_version: '20',
    auth: {
      path: './auth.ts:auth',
      disable_studio_auth: true,
      cache: { cache_keys: ['authorization'], ttl_seconds: 60, max_size: 10 },
    },
    store: {
      index: { dims: 3, embed: 'openai:text-embedding-3-small', fields: ['$'] },
      ttl: { refresh_on_read: true, default_ttl: 60 },
    },
    checkpointer: {
      ttl: { strategy: 'keep_latest', default_ttl: 60, sweep_interval_minutes: 5, sweep_limit: 100 },
    },
    http: {
      app: './app.ts:app',
      disable_mcp: true,
      cors: { allow_origins: ['https://example.com'], max_age: 600 },
      configurable_headers: { include: ['x-*'], exclude: ['x-secret'] },
      mount_prefix: '/api',
      middleware_order: 'auth_first',
    },
    webhooks: {
      headers: { 'x-key': '${{ env.LG_WEBHOOK_KEY }}' },
      url: { require_https: true, allowed_domains: ['*.example.com'], allowed_ports: [443] },
    },
    ui: { agent: './ui.tsx' },
    encryption: { path: './encryption.ts:encryption' },
  };
  write('graph.json', config);
  expect(readProjectConfig(dir).config).toEqual(config);
});

test.each([
  ['graph.json: graphs is missing', {}],
  ['graph.json: graphs must NOT have fewer than 1 properties', { graphs: {} }],
  ['graph.json: graphs.agent must be string or object, not number', { graphs: { agent: 3 } }],
  ['graph.json: graphs.agent.path is missing', { graphs: { agent: { description: 'x' } } }],
  [
    'graph.json: checkpointer.ttl.strategy must be delete or keep_latest',
    { graphs, checkpointer: { ttl: { strategy: 'x' } } },
  ],
  [
    'graph.json: checkpointer.ttl.default_ttl must be > 0',
    { graphs, checkpointer: { ttl: { default_ttl: 0 } } },
  ],
  [
    'graph.json: http.cors.allow_origins must be array, not string',
    { graphs, http: { cors: { allow_origins: '*' } } },
  ],
  [
    'graph.json: http.cors.allow_origin_regex must match format "regex"',
    { graphs, http: { cors: { allow_origin_regex: '(' } } },
  ],
  ['graph.json: store.index.embed is missing', { graphs, store: { index: { dims: 3 } } }],
  ['graph.json: the file must be object, not array', []],
  ['graph.json: not valid JSON: ', '{"graphs": '],
])('a wrong file says where and why: %s', (message, content) => {
  write('graph.json', content);
  expect(() => readProjectConfig(dir)).toThrow(message);
  try {
    readProjectConfig(dir);
  } catch (error) {
    expect((error as Error).message).not.toContain('\n');
  }
});

test('a folder without a config file gets a hint', () => {
  expect(() => readProjectConfig(dir)).toThrow(
    `${dir}: no graph.json and no langgraph.json here; name your graphs in one`,
  );
  expect(() => readProjectConfig(join(dir, 'nope.json'))).toThrow('no such file or folder');
});

const warnings: string[] = [];

/** The environment after the project's `env` was applied to `before`. */
function environment(env: unknown, before: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  write('graph.json', { graphs, env });
  const environment = { ...before };
  applyProjectEnv(readProjectConfig(dir), environment, (message) => warnings.push(message));
  return environment;
}

test('env as a file or as values adds to the environment, which wins', () => {
  write('.env', '# keys\nA=1\nB="two words"\nexport C=3\n');
  expect(environment('.env', { A: 'mine' })).toEqual({ A: 'mine', B: 'two words', C: '3' });
  expect(environment({ A: 'x', PORT: 80, FLAG: true }, { A: 'mine' })).toEqual({
    A: 'mine',
    PORT: '80',
    FLAG: 'true',
  });
});

test('env as a list requires the variables to be set', () => {
  expect(environment(['A'], { A: '1' })).toEqual({ A: '1' });
  expect(() => environment(['A', 'B', 'C'], { A: '1' })).toThrow(
    'graph.json: env: not set in the environment: B, C',
  );
});

test('a missing env file is a warning', () => {
  expect(environment('./nope.env', { A: '1' })).toEqual({ A: '1' });
  expect(warnings).toEqual(['graph.json: env: no such file: ./nope.env']);
  expect(() => environment('.')).toThrow(
    'graph.json: env: cannot read .: EISDIR: illegal operation on a directory, read',
  );
});

test('a platform does without the env file, as it sets the variables itself', () => {
  write('graph.json', { graphs, env: '.nowhere' });
  const warn = jest.fn();
  expect(projectEnvironment(readProjectConfig(dir), { SLIPWAY_PROJECT_ENV: '{"A":"1"}' }, warn).host).toEqual(
    { A: '1' },
  );
  expect(warn).not.toHaveBeenCalled();
});

test('a platform does not follow a config file outside its folder', () => {
  const folder = mkdtempSync(join(root, 'link-'));
  writeFileSync(join(folder, 'secret.json'), '{"graphs": {"stolen": "./a.ts"}}');
  mkdirSync(join(folder, 'project'));
  symlinkSync('../secret.json', join(folder, 'project', 'graph.json'));
  const read = (env: NodeJS.ProcessEnv) => readProjectConfig(join(folder, 'project'), env).config.graphs;
  expect(() => read({ SLIPWAY_PROJECT_ENV: '{}' })).toThrow('graph.json: points outside its folder');
  expect(read({})).toEqual({ stolen: './a.ts' });
});
