import { pause } from '../pacing.ts';
import type { DeploymentsApi } from './deployments-api.ts';
import { Traffic, type TrafficReport } from './traffic.ts';

export interface RolloutOptions {
  api: DeploymentsApi;
  /** Git URL of `bench/rollouts/project`, and the command that installs its packages. */
  source: { repo_url: string; install_command: string };
  /** Runs per second. */
  rate: number;
  /** Duration of a long run, in ms; it exceeds the drain, so that the run is handed over. */
  longMs: number;
  /** Time limit for the last run after traffic ends, in ms. */
  behindMs: number;
  /** Number of successful rollouts, apart from the broken and the interrupted one. */
  rollouts: number;
  /** Minimum duration of traffic, over which the rollouts are spread, in ms. */
  lastsMs: number;
  say(line: string): void;
}

export interface RolloutReport extends TrafficReport {
  deploymentId: string;
  /** Active revisions, in order. */
  served: string[];
  /** Outcome and duration of each rollout. */
  rollouts: { what: string; ms: number }[];
}

/** Rolls out revisions under traffic: good ones, a broken one, an interrupted one, and back to the first. */
export async function rollOut(options: RolloutOptions): Promise<RolloutReport> {
  const { api, source, rate, longMs, behindMs, lastsMs, say } = options;
  const { id, latest_revision_id: first } = await api.create({
    name: `rollouts-${process.pid}-${Date.now()}`,
    source: 'git_host',
    source_config: { ...source, build_on_push: false },
    source_revision_config: { repo_ref: 'main' },
  });
  await api.reaches(id, first, 'DEPLOYED');
  const traffic = new Traffic({ url: api.addressOf(id), apiKey: api.key, rate, longMs, behindMs, say });
  const rollouts: RolloutReport['rollouts'] = [];
  const served = [first];
  const timed = async (what: string, work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    const ms = Math.round(performance.now() - began);
    rollouts.push({ what, ms });
    say(`${what}: ${ms} ms, ${traffic.failures.length} failures so far`);
  };
  const takeOver = async (revision: string) => {
    const next = await api.redeploy(id, revision);
    served.push(next);
    await api.reaches(id, next, 'DEPLOYED');
  };
  let broken = '';
  const steps: [what: string, work: () => Promise<void>][] = [
    ['a revision takes over', () => takeOver(first)],
    [
      'a broken one fails',
      async () => {
        broken = await api.patch(id, { secrets: [{ name: 'NEVER_HEALTHY', value: 'yes' }] });
        await api.reaches(id, broken, 'DEPLOY_FAILED');
      },
    ],
    [
      'one that starts is interrupted',
      async () => {
        const doomed = await api.redeploy(id, broken);
        await api.reaches(id, doomed, 'DEPLOYING');
        await api.interrupt(id, doomed);
        await api.reaches(id, doomed, 'INTERRUPTED');
      },
    ],
    ['back to the first', () => takeOver(first)],
  ];
  for (let more = 2; more < options.rollouts; more++)
    steps.push(['another takes over', () => takeOver(served.at(-1)!)]);
  const began = performance.now();
  traffic.start();
  try {
    for (const [index, [what, work]] of steps.entries()) {
      const due = began + ((index + 0.5) * lastsMs) / (steps.length + 1);
      await pause(Math.max(0, due - performance.now()));
      await timed(what, work);
    }
    await pause(Math.max(0, began + lastsMs - performance.now()));
  } finally {
    say('the traffic ends');
  }
  return { deploymentId: id, served, rollouts, ...(await traffic.stop(served)) };
}
