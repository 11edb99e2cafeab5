import { BuildFolders } from '../build-folders.ts';
import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { invalidField } from '../errors.ts';
import { uploadedArchive } from './upload-store.ts';

/** Throws InvalidFields for an archive that wasn't issued for this deployment or never uploaded (contract §2.5). */
export async function checkUploaded(
  { SLIPWAY_DATA_DIR }: ControlPlaneSettings,
  deploymentId: string,
  path: string | null | undefined,
): Promise<void> {
  if (path === null || path === undefined) return;
  if (await uploadedArchive(new BuildFolders(SLIPWAY_DATA_DIR), deploymentId, path)) return;
  throw invalidField(
    ['body', 'source_revision_config', 'source_tarball_path'],
    'Nothing was uploaded there for this deployment; request an upload-url and upload first',
  );
}
