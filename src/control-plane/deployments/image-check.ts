import type { ControlPlaneSettings } from '../control-plane-settings.ts';
import { invalidField } from '../errors.ts';
import { isBuilt, type Source } from '../vocabulary.ts';

/** Message for sources that need a container engine. */
export const NEEDS_ENGINE = 'an image needs the docker or kubernetes driver (SLIPWAY_DRIVER)';

/** Throws InvalidFields if the configured driver cannot run the source. */
export function checkRunnable(
  { SLIPWAY_DRIVER }: Pick<ControlPlaneSettings, 'SLIPWAY_DRIVER'>,
  source: Source,
  field: 'source' | 'revision_source',
): void {
  if (isBuilt(source) || SLIPWAY_DRIVER !== 'process') return;
  throw invalidField(['body', field], `The process driver cannot run ${source}: ${NEEDS_ENGINE}`);
}
