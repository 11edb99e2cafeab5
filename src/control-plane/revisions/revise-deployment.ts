import { Type } from 'typebox';
import type {
  MadeRevision,
  ReviseDeploymentInput,
  RevisionDraft,
} from '../../../workflows/deployments/contracts.ts';
import { BadRequest } from '../../platform/errors.ts';
import { compileValidator, Uuid } from '../../platform/schema.ts';
import { newId, type Principal } from '../principal.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { patchDeployment } from '../deployments/deployment-service.ts';
import { isTerminal } from '../records/revision-lifecycle.ts';
import { findRevision } from '../records/revision-repository.ts';
import { redeploy } from './revision-service.ts';

const Text = Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 }));
const Input = Type.Object({
  deployment_id: Type.Optional(Uuid),
  name: Text,
  tenant_id: Type.Optional(Uuid),
  repo_ref: Text,
  graph_config_path: Text,
  image_uri: Text,
  source_tarball_path: Text,
  redeploy_revision_id: Type.Optional(Uuid),
  reason: Type.Optional(Type.String({ maxLength: 500 })),
  wait: Type.Optional(Type.Boolean()),
});
const validate = compileValidator(Input, 'params');
const SOURCE_KEYS = ['repo_ref', 'graph_config_path', 'image_uri', 'source_tarball_path'] as const;
const LONGEST_NAME = 200;

/**
 * Finds the deployment and derives the revision's id from the workflow id and input: the same every time, unless that
 * revision ended without serving. Throws BadRequest.
 */
export async function draftRevision(
  { db }: Pick<ControlPlaneDeps, 'db'>,
  input: ReviseDeploymentInput,
  workflowId: string,
): Promise<RevisionDraft> {
  const forbidden = ['secrets', 'environment', 'env'].find((key) => key in input);
  if (forbidden)
    throw new BadRequest(
      `${forbidden}: workflow arguments stay in the history; set secrets through the API, and the revision inherits them`,
    );
  const strange = Object.keys(input).find((key) => !(key in Input.properties));
  if (strange)
    throw new BadRequest(
      `${strange} is not known here; known are ${Object.keys(Input.properties).join(', ')}`,
    );
  const { wait: _wait, ...about } = validate(input);
  const { redeploy_revision_id } = about;
  const source = SOURCE_KEYS.find((key) => about[key] !== undefined);
  if (redeploy_revision_id && source)
    throw new BadRequest(`${source} and redeploy_revision_id are mutually exclusive`);
  const found = await findNamed(db, about);
  for (let tries = 0; ; tries++) {
    const seed = `${workflowId}/${JSON.stringify(about)}/${tries}`;
    const known = await findRevision(
      db,
      newId({ ...operator(found.tenant_id, workflowId), seed }, 'revision'),
    );
    if (!known || known.status === 'DEPLOYED' || !isTerminal(known.status))
      return { deployment_id: found.id, tenant_id: found.tenant_id, seed };
  }
}

/** Finds the deployment an input names. Throws BadRequest. */
async function findNamed(
  db: ControlPlaneDeps['db'],
  {
    deployment_id = null,
    name = null,
    tenant_id = null,
  }: Partial<Record<'deployment_id' | 'name' | 'tenant_id', string | null>>,
): Promise<{ id: string; tenant_id: string }> {
  if (!deployment_id && !name) throw new BadRequest('Give deployment_id, or name and tenant_id');
  const { rows } = await db.query<{ id: string; tenant_id: string }>(
    `select id, tenant_id from control_plane.deployment where ($1::uuid is null or id = $1)
       and ($2::text is null or name = $2) and ($3::uuid is null or tenant_id = $3) limit 2`,
    [deployment_id, name, tenant_id],
  );
  const [found, another] = rows;
  if (!found) throw new BadRequest(`There is no deployment ${deployment_id ?? `named '${name}'`}`);
  if (another)
    throw new BadRequest(`Several tenants have a deployment named '${name}': tenant_id is required`);
  return found;
}

/** Makes the revision, as a PATCH or redeploy does. Idempotent. Throws BadRequest. */
export async function reviseDeployment(
  deps: ControlPlaneDeps,
  input: ReviseDeploymentInput,
  { deployment_id, tenant_id, seed }: RevisionDraft,
  workflowId: string,
): Promise<MadeRevision> {
  const named = await findNamed(deps.db, validate(input));
  if (named.id !== deployment_id || named.tenant_id !== tenant_id || !seed.startsWith(`${workflowId}/`))
    throw new BadRequest('The draft does not belong to this input');
  const principal = { ...operator(tenant_id, workflowId), seed };
  const revision_id = newId(principal, 'revision');
  const known = await findRevision(deps.db, revision_id);
  if (known) {
    if (known.status === 'CREATING')
      await deps.workflows.submit(deployment_id, { revision_id, pinned: known.pinned });
    return { deployment_id, revision_id };
  }
  const { redeploy_revision_id, reason = `workflow ${workflowId}` } = input;
  if (redeploy_revision_id) await redeploy(deps, principal, deployment_id, redeploy_revision_id, reason);
  else {
    const source_revision_config = Object.fromEntries(
      SOURCE_KEYS.flatMap((key) => (input[key] === undefined ? [] : [[key, input[key]]])),
    );
    const patch = { source_revision_config, reason };
    await patchDeployment(deps, principal, deployment_id, patch, { always: true });
  }
  return { deployment_id, revision_id };
}

const operator = (tenant_id: string, workflowId: string): Principal => ({
  tenant_id,
  name: `temporal:${workflowId}`.slice(0, LONGEST_NAME),
  role: 'admin',
});
