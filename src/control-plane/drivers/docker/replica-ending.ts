import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../records/revision.ts';
import { memoryOf, serverMemoryOf } from '../../scaling/agent-limits.ts';
import { type Ending, endingOf, READ_LINES } from '../ending.ts';
import { lastLines } from './container-output.ts';
import { unlessGone } from './docker-engine.ts';
import { lacksHost, type ReplicaContainers } from './replica-containers.ts';

/** How a replica ended: as its graph hosts did if the server still runs. */
export async function describeEnding(
  containers: ReplicaContainers,
  revision: RevisionRow,
  config: ControlPlaneSettings,
): Promise<Ending> {
  const seen = await containers.look();
  const isHost = lacksHost(seen);
  const found = isHost ? seen.host : seen.main;
  const { container } = containers.source(isHost ? 'host' : 'main');
  const ranOut = found?.State.OOMKilled ?? false;
  const ofServer = seen.host !== undefined && !isHost && ranOut;
  return endingOf({
    code: found && !found.State.Running ? found.State.ExitCode : undefined,
    ranOut,
    megabytes: (ofServer ? serverMemoryOf : memoryOf)(revision, config),
    output: (await unlessGone(lastLines(container, READ_LINES))) ?? [],
  });
}
