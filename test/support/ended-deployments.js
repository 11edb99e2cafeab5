import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';

const EVERY_MS = 3_000;
const AT_ONCE = 20;

/**
 * Takes the Schedules and the workflows of deployments that are over out of the test run's Temporal: hundreds of them
 * would go on firing until the end of the run, for workers that are gone. Test files leave their names in `folder`.
 * Returns what ends it.
 */
export async function removeEndedDeployments(folder, address) {
  await mkdir(folder, { recursive: true });
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const over = new AbortController();
  const turn = async () => {
    const whole = (await readdir(folder)).filter((name) => !name.endsWith('.part'));
    const files = whole.map((name) => join(folder, name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const names = new Set(texts.flatMap((text) => text.split('\n')).filter(Boolean));
    if (names.size > 0) await remove(client, names);
    await Promise.all(files.map((file) => rm(file)));
  };
  const turns = (async () => {
    while (!over.signal.aborted) {
      // What fails is left: at the end of the run all of it goes anyway.
      await turn().catch(() => {});
      await pause(EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  return async () => {
    over.abort();
    await turns;
    await connection.close();
  };
}

async function remove(client, names) {
  const deploymentOf = (scheduleId) => scheduleId.split('/', 1)[0];
  for await (const { scheduleId } of client.schedule.list())
    if (names.has(deploymentOf(scheduleId)))
      await client.schedule
        .getHandle(scheduleId)
        .delete()
        .catch(() => {});
  const queues = [...names].flatMap((name) => [`slipway-${name}`, `slipway-${name}-builds`]);
  for (let at = 0; at < queues.length; at += AT_ONCE) {
    const some = queues.slice(at, at + AT_ONCE).map((queue) => `'${queue}'`);
    const query = `ExecutionStatus = 'Running' and TaskQueue in (${some.join(', ')})`;
    for await (const { workflowId } of client.workflow.list({ query }))
      await client.workflow
        .getHandle(workflowId)
        .terminate('its test is over')
        .catch(() => {});
  }
}
