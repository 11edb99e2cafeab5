import type { Create, Patch } from './revision-plan.ts';
import type { RevisionRow } from '../records/revision.ts';
import { shownConfig } from '../records/repository-address.ts';

/** A request as recorded in the audit log, with names of secrets instead of values. */
export const auditDetail = (
  { secrets, source_config, ...request }: Create | Patch,
  revision: RevisionRow | undefined,
) => ({
  ...request,
  ...(source_config && { source_config: shownConfig(source_config) }),
  ...(secrets && { secrets: secrets.map(({ name }) => name) }),
  ...(revision && { revision_id: revision.id }),
});
