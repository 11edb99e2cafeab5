import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { invalidField } from '../errors.ts';
import { isBuilt, type Source } from '../vocabulary.ts';

/** Message for sources that need a container engine. */
export const NEEDS_ENGINE =
  'its source is an image: the platform needs the docker or the kubernetes driver (SLIPWAY_DRIVER)';

/** Throws InvalidFields if the configured driver cannot run the source. */
export function checkRunnable(
  { SLIPWAY_DRIVER }: Pick<ControlPlaneSettings, 'SLIPWAY_DRIVER'>,
  source: Source,
  field: 'source' | 'revision_source',
): void {
  if (isBuilt(source) || SLIPWAY_DRIVER !== 'process') return;
  throw invalidField(['body', field], `${source} cannot be run by the process driver: ${NEEDS_ENGINE}`);
}
