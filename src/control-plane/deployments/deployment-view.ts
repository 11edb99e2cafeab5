import type { SealedBox } from '../secrets/sealed-box.ts';
import { openEnvironment } from '../secrets/environment.ts';
import type { RevisionRow } from '../records/revision.ts';
import { wholeConfig } from '../records/revision.ts';
import { configIn, sourceIn, type Vocabulary } from '../vocabulary.ts';
import type { DeploymentRow } from '../records/deployment.ts';
import { shownConfig } from '../records/repository-address.ts';

/** A deployment as returned by the API, with names of secrets instead of values. */
export function deploymentView(row: DeploymentRow, vocabulary: Vocabulary, box: SealedBox) {
  const { environment, version: _version, source, source_revision_config, secret_references, ...rest } = row;
  const secrets =
    environment && row.latest_revision_id ? openEnvironment(box, row.latest_revision_id, environment) : [];
  return {
    ...rest,
    source: sourceIn(vocabulary, source),
    source_config: { build_on_push: false, custom_url: null, ...shownConfig(row.source_config) },
    source_revision_config: configIn(vocabulary, wholeConfig(source_revision_config ?? {})),
    secrets: secrets.map(({ name }) => ({ name, value: null })),
    secret_references: secret_references ?? null,
  };
}

/** A revision as returned by the API. */
export function revisionView(row: RevisionRow, vocabulary: Vocabulary) {
  const { id, created_at, updated_at, status, source, source_revision_config } = row;
  const { deployment_id, number, status_message, created_by, reason, remote_reconciled } = row;
  return {
    id,
    created_at,
    updated_at,
    status,
    source: sourceIn(vocabulary, source),
    source_revision_config: configIn(vocabulary, wholeConfig(source_revision_config)),
    deployment_id,
    number,
    status_message,
    created_by,
    reason,
    remote_reconciled,
  };
}
