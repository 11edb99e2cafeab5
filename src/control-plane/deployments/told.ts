import type { Create, Patch } from '../revisions/revision-plan.ts';
import type { RevisionRow } from '../revisions/revision.ts';
import { shownConfig } from './repository-address.ts';

/** What the audit log says of a request: of secrets the names alone. */
export const told = (
  { secrets, source_config, ...request }: Create | Patch,
  revision: RevisionRow | undefined,
) => ({
  ...request,
  ...(source_config && { source_config: shownConfig(source_config) }),
  ...(secrets && { secrets: secrets.map(({ name }) => name) }),
  ...(revision && { revision_id: revision.id }),
});
