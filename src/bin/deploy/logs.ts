import { setTimeout } from 'node:timers/promises';
import { outcomeOf } from '../../deploy-client/outcome.ts';
import { type LogLine, type Revision, revisionPath } from '../../deploy-client/records.ts';
import { RevisionLogs } from '../../deploy-client/revision-logs.ts';
import { askPlatform, type ClientOptions } from './client-command.ts';
import { revisionOf } from './status.ts';

const POLL_MS = 1_000;
const BUILT = /^(AWAITING_DEPLOY|DEPLOYING)$/;

export interface LogsOptions extends ClientOptions {
  build?: boolean;
  runtime?: boolean;
  follow?: boolean;
  limit: string;
}

/** The build or runtime log of a revision. */
export const logs = (named: string | undefined, options: LogsOptions): Promise<void> =>
  askPlatform(options, async (client) => {
    const deployment = await client.deployment();
    const phase = options.build ? 'build' : 'deploy';
    const fallback = phase === 'deploy' ? deployment.active_revision_id : null;
    const revision_id = named ?? fallback ?? revisionOf(deployment, undefined);
    const of = { deployment_id: deployment.id, revision_id };
    const lines = new RevisionLogs(client.api, of, phase);
    const print = ({ id, timestamp, level, message }: LogLine) => {
      if (options.json) console.log(JSON.stringify({ event: 'log', phase, id, timestamp, level, message }));
      else console.log(`${new Date(timestamp).toISOString()} ${level.padEnd(5)} ${message}`);
    };
    if (!options.follow) {
      for (const line of await lines.last(Number(options.limit))) print(line);
      return 0;
    }
    for (;;) {
      const { status } = await client.api.get<Revision>(revisionPath(deployment.id, revision_id));
      for await (const line of lines.read()) print(line);
      const outcome = outcomeOf(status);
      // An active revision may always log more.
      if (phase === 'build' ? outcome || BUILT.test(status) : outcome && outcome !== 'deployed') return 0;
      await setTimeout(POLL_MS);
    }
  });
