import { fileURLToPath } from 'node:url';
import { type PlatformApi } from '../../src/deploy-client/platform-api.ts';
import { deploymentPath } from '../../src/deploy-client/records.ts';
import { GATEWAY_TOKEN_HEADER } from '../../src/platform/http/gateway-only.ts';
import { timeEach, timeTogether, until } from '../pacing.ts';
import { expectEqual, type Goal } from '../scenario.ts';
import { median } from '../statistics.ts';
import { settingOf } from './agents.ts';
import { deployFolder, rollBack, served, stepTime } from './deployed.ts';
import { withDatabase } from './platform-database.ts';

// Per round, with and without the gateway.
const RUNS = 100;
const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const REVISIONS = 10_000;

export const GOALS = {
  interactive: {
    name: 'console-interactive',
    unit: 'ms',
    target: { atMost: 1_000 },
    about: 'from the request for the console until its key field accepts input, with an empty cache: median',
  },
  firstPage: {
    name: 'console-first-page',
    unit: 'KB',
    target: { atMost: 200 },
    about: 'bytes sent until then',
  },
  deploy: {
    name: 'deploy',
    unit: 's',
    target: { atMost: 15 },
    about: 'from the upload of the examples to DEPLOYED, packages cached: median of 3',
  },
  cutOver: {
    name: 'cut-over',
    unit: 'ms',
    target: { atMost: 500 },
    about: 'from DEPLOYED to the first response of the new revision',
  },
  rollback: {
    name: 'rollback',
    unit: 's',
    target: { atMost: 5 },
    about: 'from the request to the first response of the previous revision: median of 3',
  },
  wake: {
    name: 'wake',
    unit: 's',
    target: { atMost: 3 },
    about: 'a request to a sleeping deployment: median of 3',
  },
  overhead: {
    name: 'gateway-overhead',
    unit: 'ms',
    target: { atMost: 1.5 },
    about: 'overhead of the gateway per request: difference of medians',
  },
  throughput: {
    name: 'gateway-throughput',
    unit: 'times',
    target: { atLeast: 0.7 },
    about: 'requests per second to `/ok` through the gateway divided by those without, 16 callers',
  },
  runs: {
    name: 'gateway-runs',
    unit: 'times',
    target: { atLeast: 0.7 },
    about: 'the same for `runs/wait`',
  },
  list: {
    name: 'revisions-list',
    unit: 'ms',
    target: { atMost: 10 },
    about: `a page of ${REVISIONS} revisions: median`,
  },
} satisfies Record<string, Goal>;

export type Values = Partial<Record<keyof typeof GOALS, number>>;
/** The measured platform, which has just started. */
export interface Platform {
  api: PlatformApi;
  /** URL of the platform. */
  url: string;
  key: string;
  dataDir: string;
}

/** Deployments and rollbacks of the examples. */
export async function measureRollouts({ api }: Platform): Promise<Values> {
  const first = await deployFolder(api, EXAMPLES, { name: 'rollouts' });
  const { deployment_id: id } = first;
  const cutOvers: number[] = [];
  const deploys = await timeEach(3, async () => {
    const seen = watchServed(api, id);
    const { revision_id } = await deployFolder(api, EXAMPLES, { name: 'rollouts' });
    await until('the new revision answers', 10_000, () => Promise.resolve(seen.times.has(revision_id)));
    await seen.stop();
    cutOvers.push(seen.times.get(revision_id)! - (await stepTime(api, id, revision_id, 'DEPLOYED')));
  });
  const rollbacks = await timeEach(3, () => rollBack(api, id, first.revision_id));
  return {
    deploy: median(deploys) / 1000,
    cutOver: Math.max(0, median(cutOvers)),
    rollback: median(rollbacks) / 1000,
  };
}

/** Polls which revision responds, and records when each first did. */
function watchServed(api: PlatformApi, id: string): { times: Map<string, number>; stop(): Promise<void> } {
  const times = new Map<string, number>();
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted) {
      const revision = await served(api, id);
      if (!times.has(revision)) times.set(revision, Date.now());
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  return {
    times,
    async stop() {
      over.abort();
      await asking;
    },
  };
}

/** Time to wake a scale-to-zero deployment. */
export async function measureWake({ api, dataDir }: Platform): Promise<Values> {
  const { deployment_id } = await deployFolder(api, EXAMPLES, { name: 'sleeper', type: 'dev_zero' });
  return withDatabase({ dataDir }, async (db) => {
    const isAsleep = async () => {
      const { rows } = await db.query('select from control_plane.instance where deployment_id = $1', [
        deployment_id,
      ]);
      return rows.length === 0;
    };
    const samples: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await until('the deployment sleeps', 120_000, isAsleep, 200);
      samples.push(...(await timeEach(1, () => served(api, deployment_id))));
    }
    return { wake: median(samples) / 1000 };
  });
}

/** The same request with and without the gateway, alternating. */
export async function measureGateway({ api, key, dataDir }: Platform): Promise<Values> {
  const { deployment_id } = await deployFolder(api, EXAMPLES, { name: 'gateway' });
  const { rows } = await withDatabase({ dataDir }, (db) =>
    db.query<{ url: string; pid: number }>(
      'select url, pid from control_plane.instance where deployment_id = $1',
      [deployment_id],
    ),
  );
  // Requests that bypass the gateway need its token.
  const token = await settingOf(rows[0]!.pid, 'SLIPWAY_GATEWAY_TOKEN');
  const ask = (url: string) => async () => {
    const answer = await fetch(url);
    expectEqual([answer.status, await answer.json()], [200, { ok: true }], url);
  };
  const run = (url: string) => async () => {
    const input = { messages: [{ role: 'user', content: 'hello' }] };
    const body = JSON.stringify({ assistant_id: 'agent', input });
    const headers = { 'content-type': 'application/json', [GATEWAY_TOKEN_HEADER]: token, 'x-api-key': key };
    const answer = await fetch(url, { method: 'POST', headers, body });
    const { messages } = (await answer.json()) as { messages: unknown[] };
    expectEqual([answer.status, messages.length], [200, 2], url);
  };
  const addresses = { direct: rows[0]!.url, through: `${api.url}/d/${deployment_id}` };
  const direct = ask(`${addresses.direct}/ok`);
  const through = ask(`${addresses.through}/ok`);
  const runs = {
    direct: run(`${addresses.direct}/runs/wait`),
    through: run(`${addresses.through}/runs/wait`),
  };
  await timeEach(100, through);
  await timeEach(100, direct);
  const times = { direct: [] as number[], through: [] as number[] };
  const rates = { direct: [] as number[], through: [] as number[] };
  const runRates = { direct: [] as number[], through: [] as number[] };
  for (let turn = 0; turn < 5; turn++) {
    times.direct.push(...(await timeEach(200, direct)));
    times.through.push(...(await timeEach(200, through)));
    rates.direct.push(1000 / (await timeTogether(16, 1000, direct)));
    rates.through.push(1000 / (await timeTogether(16, 1000, through)));
    for (const way of ['direct', 'through'] as const)
      runRates[way].push(RUNS / (await timeTogether(16, RUNS, runs[way])));
  }
  return {
    overhead: median(times.through) - median(times.direct),
    throughput: median(rates.through) / median(rates.direct),
    runs: median(runRates.through) / median(runRates.direct),
  };
}

/** A page of the revisions of a deployment that has very many. */
export async function measureList({ api, dataDir }: Platform): Promise<Values> {
  const { id } = await api.post<{ id: string }>('/v2/deployments', {
    name: 'many',
    source: 'internal_source',
    secrets: [],
  });
  await withDatabase({ dataDir }, (db) =>
    db.query(
      `insert into control_plane.revision (id, deployment_id, number, source, source_config, source_revision_config, environment, status, reason)
       select gen_random_uuid(), $1, n, 'internal_source', '{}', '{}', '', 'DEPLOYED', 'measured' from generate_series(1, $2::int) n`,
      [id, REVISIONS],
    ),
  );
  const samples = await timeEach(200, async () => {
    const { resources } = await api.get<{ resources: unknown[] }>(`${deploymentPath(id)}/revisions?limit=20`);
    expectEqual(resources.length, 20, 'revisions of a page');
  });
  return { list: median(samples) };
}
