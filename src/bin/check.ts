import { readProjectConfig } from '../agent-server/project/project-config.ts';
import { applyProjectEnv } from '../agent-server/project/project-env.ts';
import { bindSdkLogger } from '../graph-host/in-process/sdk-globals.ts';
import { loadProject } from '../graph-host/project/project.ts';
import { createLog } from '../platform/log.ts';

/** Loads a project as a server would, and says what it found; what is wrong with it is told as an InvalidProject. */
export async function check({ config = '.' }: { config?: string }): Promise<void> {
  const file = readProjectConfig(config);
  const warn = (message: string) => console.error(`warning: ${message}`);
  applyProjectEnv(file, process.env, warn);
  bindSdkLogger(createLog('silent'));
  const { graphs } = await loadProject(config, { warn });
  for (const id of graphs.keys()) console.log(`graph '${id}' loads`);
  // Connections and timers that the project opened must not keep the process.
  process.exit();
}
