import { setTimeout as sleep } from 'node:timers/promises';
import { StartFailed } from '../errors.ts';
import type { StartRequest } from './driver.ts';
import type { DriverOptions } from './driver-options.ts';
import { findInstance, setInstanceState } from './instance-repository.ts';
import type { InstanceRuntime } from './instance-runtime.ts';
import { untilHealthy } from './instance-watch.ts';

const STARTS = 3;
const BETWEEN_STARTS_MS = 1_000;

/**
 * Starts a replica's instance, or joins it if it is running, and waits until it answers; returns its URL. Throws
 * StartFailed.
 */
export async function bringUp(
  { db, config }: DriverOptions,
  runtime: InstanceRuntime,
  { revision, environment, log, signal }: Omit<StartRequest, 'replicas'>,
  replica: number,
): Promise<string> {
  const key = { revision_id: revision.id, replica };
  const current = async () => {
    const instance = await findInstance(db, key);
    if (!instance) throw new StartFailed('the revision was stopped');
    return instance;
  };
  for (let start = 1; ; start++) {
    signal.throwIfAborted();
    await runtime.launch(revision, replica, environment, signal);
    const { url } = await current();
    const came = await untilHealthy({
      url,
      isAlive: async () => runtime.isAlive(await current()),
      progress: () => runtime.keepOutput(key),
      patienceMs: config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS * 1000,
      signal,
    });
    if (came === 'healthy') {
      await setInstanceState(db, key, 'running', ['starting']);
      log('The agent is up and answers');
      return url;
    }
    const ending = await runtime.ending(revision, replica);
    if (came === 'late') {
      const seconds = config.SLIPWAY_DEPLOY_TIMEOUT_SECONDS;
      throw new StartFailed(
        [`it does not respond and has made no progress for ${seconds} s`, ...ending.lines].join('\n'),
      );
    }
    if (ending.isFinal) throw new StartFailed(ending.text);
    if (start === STARTS) throw new StartFailed(`it failed to start ${STARTS} times: ${ending.text}`);
    log(`The agent ended during startup: ${ending.reason}. Restarting it`, 'warn');
    await sleep(start * BETWEEN_STARTS_MS, undefined, { signal });
  }
}
