import { sdkClient, sdkSettings } from '../../parts/sdk-settings.ts';

/** Shell command that creates a queue with the newest traces of a project. */
export const fillQueue = (): string =>
  [
    ...sdkSettings(),
    `npm install langsmith && node --input-type=module -e '`,
    `  import { Client } from "langsmith";`,
    `  const client = ${sdkClient()};`,
    `  const { id } = await client.createAnnotationQueue({ name: "review" });`,
    `  const runIds = [];`,
    `  for await (const run of client.listRuns({ projectName: "default", isRoot: true, limit: 20 })) runIds.push(run.id);`,
    `  await client.addRunsToAnnotationQueue(id, runIds);'`,
  ].join('\n');
