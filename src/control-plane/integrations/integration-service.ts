import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { inTransaction, type Queryable } from '../../platform/db/database.ts';
import { defineError, NotFound } from '../../platform/errors.ts';
import { newId, type Principal } from '../principal.ts';
import { recordChange } from '../audit/audit-repository.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { invalidField } from '../errors.ts';
import {
  addressesOf,
  type Credentials,
  type IntegrationCreate,
  type IntegrationPatch,
  type IntegrationRow,
} from './integration.ts';
import {
  findIntegration,
  insertIntegration,
  openCredentials,
  sealCredentials,
  sealWebhookSecret,
  updateIntegration,
} from './integration-repository.ts';

const IntegrationTaken = defineError(
  'IntegrationTaken',
  409,
  (name: string) => `An integration named '${name}' already exists.`,
);
type Deps = Pick<ControlPlaneDeps, 'db' | 'box'>;
type Patch = Static<typeof IntegrationPatch>;
const SECRETS = ['token', 'username', 'ssh_key', 'ssh_known_hosts'] as const;
const SECRET_BYTES = 32;

/** Throws NotFound, for other tenants' integrations too. */
export async function requireIntegration(
  db: Queryable,
  { tenant_id }: Pick<Principal, 'tenant_id'>,
  id: string,
  options: { lock?: boolean } = {},
): Promise<IntegrationRow> {
  const found = await findIntegration(db, id, tenant_id, options);
  if (!found) throw new NotFound(`Integration ID ${id} not found.`);
  return found;
}

/** Refuses ports, which the schema can't. Throws InvalidFields. */
function checkAddresses(given: Pick<Patch, 'url' | 'api_url'>): void {
  for (const name of ['url', 'api_url'] as const) {
    const text = given[name];
    if (text !== undefined && !URL.canParse(text)) throw invalidField(['body', name], `${name} is not a URL`);
  }
}

/** Throws IntegrationTaken, InvalidFields. */
export async function createIntegration(
  { db, box }: Deps,
  principal: Principal,
  create: Static<typeof IntegrationCreate>,
): Promise<IntegrationRow> {
  checkAddresses(create);
  const id = newId(principal, 'integration');
  const { name, kind, webhook_secret, repositories = [] } = create;
  return inTransaction(db, async (tx) => {
    const created = await insertIntegration(tx, {
      id,
      tenant_id: principal.tenant_id,
      name,
      kind,
      ...addressesOf(kind, create),
      credentials: sealCredentials(box, id, changed({}, create)),
      webhook_secret: webhook_secret ? sealWebhookSecret(box, id, webhook_secret) : null,
      repositories,
    });
    if (!created) throw new IntegrationTaken(name);
    await note(tx, principal, 'createIntegration', created, create);
    return created;
  });
}

/** Throws NotFound, InvalidFields. */
export async function patchIntegration(
  { db, box }: Deps,
  principal: Principal,
  id: string,
  patch: Patch,
): Promise<IntegrationRow> {
  checkAddresses(patch);
  return inTransaction(db, async (tx) => {
    const before = await requireIntegration(tx, principal, id, { lock: true });
    const { url, api_url, repositories = before.repositories } = patch;
    const credentials = sealCredentials(box, id, changed(openCredentials(box, before), patch));
    // A new host implies a new API address, unless one is given.
    const addresses = addressesOf(before.kind, {
      url: url ?? before.url,
      api_url: api_url ?? (url === undefined ? before.api_url : undefined),
    });
    await updateIntegration(tx, { ...before, ...addresses, credentials, repositories });
    await note(tx, principal, 'patchIntegration', before, patch);
    return requireIntegration(tx, principal, id);
  });
}

/** Sets or generates the webhook secret; the old one becomes invalid. Throws NotFound. */
export async function rotateWebhookSecret(
  { db, box }: Deps,
  principal: Principal,
  id: string,
  secret = randomBytes(SECRET_BYTES).toString('base64url'),
): Promise<string> {
  await inTransaction(db, async (tx) => {
    const before = await requireIntegration(tx, principal, id, { lock: true });
    await updateIntegration(tx, { ...before, webhook_secret: sealWebhookSecret(box, id, secret) });
    await note(tx, principal, 'rotateWebhookSecret', before, {});
  });
  return secret;
}

function changed(before: Credentials, patch: Patch): Credentials {
  const after = { ...before };
  for (const name of SECRETS) {
    const value = patch[name];
    if (value === null) delete after[name];
    else if (value !== undefined) after[name] = value;
  }
  return after;
}

/** Records names of secrets only. */
async function note(
  tx: Queryable,
  principal: Principal,
  action: string,
  { id, name }: IntegrationRow,
  { url, api_url, ...rest }: Patch,
): Promise<void> {
  const secrets = SECRETS.filter((secret) => rest[secret] !== undefined);
  const detail = { name, url, api_url, secrets };
  await recordChange(tx, principal, { action, target: `integration/${id}`, detail });
}
