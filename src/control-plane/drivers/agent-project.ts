import { existsSync } from 'node:fs';
import { artifactFolder, pathInArtifact } from '../build-folders.ts';
import { StartFailed } from '../errors.ts';
import type { RevisionRow } from '../records/revision.ts';

/** Folder and config file of a revision's built project. Throws StartFailed if there is none. */
export function projectOf(
  dataDir: string,
  { artifact, source_revision_config }: RevisionRow,
): { dir: string; config: string } {
  if (!artifact) throw new StartFailed('the revision was never built');
  const dir = artifactFolder(dataDir, artifact);
  if (!existsSync(dir)) throw new StartFailed('its build is not on this host');
  const { graph_config_path } = source_revision_config as { graph_config_path?: string };
  const config = pathInArtifact(dir, graph_config_path);
  if (!config) throw new StartFailed(`${graph_config_path} is outside the project`);
  return { dir, config };
}
