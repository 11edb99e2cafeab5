import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AgentDeps } from '../../src/agent-server/agent-deps.ts';
import { syncSystemAssistants } from '../../src/agent-server/assistants/system-assistants.ts';
import { insertAssistant } from '../../src/agent-server/records/assistant-repository.ts';
import type { Access } from '../../src/agent-server/auth/access.ts';
import type { Caller } from '../../src/agent-server/caller.ts';
import { findable } from '../../src/agent-server/crons/cron-access.ts';
import { runOf } from '../../src/agent-server/crons/cron-payload.ts';
import { countCrons, findCron, searchCrons } from '../../src/agent-server/records/cron-repository.ts';
import { CronSchedules } from '../../src/agent-server/schedules/cron-schedules.ts';
import { createCron, patchCron, removeCron } from '../../src/agent-server/crons/cron-service.ts';
import { insertThread } from '../../src/agent-server/records/thread-repository.ts';
import { systemAssistantId } from '../../src/platform/ids.ts';
import { Webhooks } from '../../src/agent-server/webhooks/webhooks.ts';
import { useDatabase } from '../support/use-database.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { useTemporal } from '../support/use-temporal.ts';

const database = useDatabase();
const temporal = useTemporal();
const deployment = `test-${randomUUID()}`;
const YEARLY = '0 9 1 1 *';
const SEARCH = { limit: 10, offset: 0, sort_by: 'created_at', sort_order: 'asc' } as const;

let asked: { event: string; value: Record<string, any> }[];

/** A project whose callers see only their own objects, and are recorded as owners of those they create. */
const access: Access = {
  authenticate: async () => ({ configurable: {} }),
  async authorize({ user }, resource, action, value) {
    const event = `${resource}:${action}`;
    asked.push({ event, value });
    const owner = user!.identity;
    if (action === 'create') Object.assign((value as { metadata: object }).metadata, { owner });
    return { all: [{ key: 'owner', equals: owner }] };
  },
};

const callerOf = (identity: string): Caller => ({
  user: { identity, display_name: identity, is_authenticated: true, permissions: [] },
  configurable: { langgraph_auth_user_id: identity },
});
const [ada, bob] = [callerOf('ada'), callerOf('bob')];

function deps(): AgentDeps {
  const options = { client: temporal.client, deployment, taskQueue: 'nobody', deadlineMs: PATIENCE_MS };
  const log = { warn() {} };
  const webhooks = new Webhooks({ config: { graphs: {} }, env: {}, timeoutMs: 1_000 });
  return { db: database.db, access, log, webhooks, crons: new CronSchedules(options) } as never;
}

const ofGraph = (fields: object = {}) => ({ assistant_id: 'echo', schedule: YEARLY, ...fields });

async function found(caller: Caller): Promise<string[]> {
  const mine = await findable(deps(), caller, {});
  const rows = await searchCrons(database.db, SEARCH, mine);
  expect(await countCrons(database.db, {}, mine)).toBe(rows.length);
  return rows.map(({ cron_id }) => cron_id!);
}

async function threadOf(owner: string): Promise<string> {
  const thread_id = randomUUID();
  await insertThread(database.db, { thread_id, metadata: { owner } });
  return thread_id;
}

beforeAll(() => syncSystemAssistants(database.db, [{ graph_id: 'echo' }]));
beforeEach(async () => {
  asked = [];
  await database.db.query('delete from cron');
});

test('only its creator can find, read, change and delete a cron', async () => {
  const cron = await createCron(deps(), ada, ofGraph({ metadata: { team: 'a' } }));
  const { cron_id } = cron;
  expect(cron).toMatchObject({ user_id: 'ada', metadata: { team: 'a', owner: 'ada' } });
  expect([await found(ada), await found(bob)]).toEqual([[cron_id], []]);
  await expect(patchCron(deps(), bob, cron_id, { enabled: false })).rejects.toMatchObject({ status: 404 });
  await expect(removeCron(deps(), bob, cron_id)).rejects.toMatchObject({ status: 404 });
  expect(await patchCron(deps(), ada, cron_id, { enabled: false })).toMatchObject({ enabled: false });
  await removeCron(deps(), ada, cron_id);
  expect(await found(ada)).toEqual([]);
});

test('handlers receive their own resource and action names', async () => {
  const thread_id = await threadOf('ada');
  const { cron_id } = await createCron(deps(), ada, ofGraph({ input: 1 }), thread_id);
  expect(asked.map(({ event }) => event)).toEqual(['crons:create', 'threads:read']);
  expect(asked[0]!.value).toMatchObject({
    cron_id,
    thread_id,
    user_id: 'ada',
    schedule: YEARLY,
    payload: { input: 1 },
  });
  asked = [];
  await patchCron(deps(), ada, cron_id, { schedule: '0 8 1 1 *' });
  await removeCron(deps(), ada, cron_id);
  expect(asked).toMatchObject([
    { event: 'crons:update', value: { cron_id, schedule: '0 8 1 1 *' } },
    { event: 'crons:delete', value: { cron_id } },
  ]);
});

describe('the creator must be able to read the cron’s', () => {
  test('thread', async () => {
    const thread_id = await threadOf('bob');
    await expect(createCron(deps(), ada, ofGraph(), thread_id)).rejects.toMatchObject({ status: 404 });
    await expect(createCron(deps(), bob, ofGraph(), thread_id)).resolves.toMatchObject({ thread_id });
  });

  test('assistant, unless it is a system assistant', async () => {
    const assistant_id = randomUUID();
    const assistant = {
      graph_id: 'echo',
      config: {},
      context: {},
      metadata: { owner: 'bob' },
      description: null,
    };
    await insertAssistant(database.db, { assistant_id, ...assistant });
    const create = (caller: Caller) => createCron(deps(), caller, ofGraph({ assistant_id }));
    await expect(create(ada)).rejects.toMatchObject({ status: 404 });
    await expect(create(bob)).resolves.toMatchObject({ assistant_id });
    await expect(createCron(deps(), ada, ofGraph())).resolves.toMatchObject({
      assistant_id: systemAssistantId('echo'),
    });
  });
});

test('crons on threads that a caller may not see are not found', async () => {
  const thread_id = await threadOf('ada');
  const { cron_id } = await createCron(deps(), ada, ofGraph(), thread_id);
  const alone = await createCron(deps(), ada, ofGraph());
  expect(await found(ada)).toEqual([cron_id, alone.cron_id]);
  await database.db.query(`update thread set metadata = '{"owner": "bob"}' where thread_id = $1`, [
    thread_id,
  ]);
  expect(await found(ada)).toEqual([alone.cron_id]);
});

test('a cron runs as its creator', async () => {
  const { cron_id } = await createCron(deps(), ada, ofGraph({ config: { configurable: { mine: 1 } } }));
  const { origin, body } = runOf((await findCron(database.db, cron_id))!);
  expect(origin).toMatchObject({
    caller: { user: ada.user, configurable: { langgraph_auth_user_id: 'ada', cron_id } },
    metadata: { cron_id },
  });
  expect(body).toMatchObject({ metadata: { owner: 'ada' }, config: { configurable: { mine: 1 } } });
});
