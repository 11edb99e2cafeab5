import { issueArtifact } from '../../builds/artifact-token.ts';
import type { ControlPlaneSettings } from '../../control-plane-settings.ts';
import type { RevisionRow } from '../../records/revision.ts';
import type { SealedBox } from '../../secrets/sealed-box.ts';

/** The temporary address of a revision's artifact; undefined for an image. */
export function artifactAddress(
  config: ControlPlaneSettings,
  box: SealedBox,
  { artifact }: Pick<RevisionRow, 'artifact'>,
): string | undefined {
  if (!artifact?.startsWith('sha256:')) return undefined;
  const token = issueArtifact(box, artifact, Date.now() + config.SLIPWAY_ARTIFACT_URL_SECONDS * 1000);
  const platform = config.SLIPWAY_KUBERNETES_PLATFORM_URL ?? config.SLIPWAY_PUBLIC_URL;
  return `${platform.replace(/\/+$/, '')}/v2/artifacts/${token}`;
}
