import type { RevisionRow } from '../../records/revision.ts';
import type { ScheduledSpec } from './agent-resources.ts';
import { refuseOwnNames } from './confinement.ts';

/** The part of a resource_spec that shapes the pod of the project. */
export interface ResourceSpec extends ScheduledSpec {
  labels?: Record<string, string> | null;
  annotations?: Record<string, string> | null;
  service_account_name?: string | null;
  image_pull_secrets?: { name: string }[] | null;
  volumes?: Record<string, unknown>[] | null;
  volume_mounts?: Record<string, unknown>[] | null;
  init_containers?: Record<string, unknown>[] | null;
  sidecars?: Record<string, unknown>[] | null;
}

export const resourceSpec = ({ source_config }: Pick<RevisionRow, 'source_config'>): ResourceSpec =>
  source_config['resource_spec'] ?? {};

/** Throws StartFailed for references to the platform's own objects. */
export function checkResourceSpec(revision: RevisionRow): void {
  const { service_account_name, image_pull_secrets } = resourceSpec(revision);
  refuseOwnNames(service_account_name, 'resource_spec.service_account_name');
  refuseOwnNames(image_pull_secrets, 'resource_spec.image_pull_secrets');
  refuseOwnNames(
    revision.secret_references?.map(({ secret_name }) => secret_name),
    'secret_references',
  );
}
