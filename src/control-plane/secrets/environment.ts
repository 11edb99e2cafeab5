import { type Static, Type } from 'typebox';
import { invalidField } from '../errors.ts';
import type { SealedBox } from './sealed-box.ts';

export const Secret = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  value: Type.String({ maxLength: 1_048_576 }),
});
export type Secret = Static<typeof Secret>;
export const Secrets = Type.Array(Secret, { maxItems: 500 });

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
// Set by the platform, or able to change how the process starts (contract §2.7).
const RESERVED = new RegExp(
  `^(${[
    'SLIPWAY_.*|TEMPORAL_.*|LSD_.*|LD_.*',
    'DATABASE_URL|DATABASE_URI|POSTGRES_URI|POSTGRES_URI_CUSTOM|POSTGRES_PASSWORD|REDIS_URI|REDIS_URI_CUSTOM',
    'PORT|HOST|PATH|HOME|NODE_OPTIONS|MOUNT_PREFIX|LOG_JSON|LOG_DICT_TRACEBACKS',
    'LANGGRAPH_(CLOUD_LICENSE_KEY|AUTH_TYPE|GIT_REPO_PATH)',
    'LANG(SMITH|CHAIN)_(TRACING_V2|ENDPOINT|API_KEY|PROJECT)',
    'LANGCHAIN_(CALLBACKS_BACKGROUND|REVISION_ID)',
    'LANGSMITH_(TENANT_ID|DEPLOYMENT_NAME|LICENSE_KEY|CONTROL_PLANE_API_KEY)',
    'LANGSMITH_(LANGGRAPH_GIT_(REPO|REF|REF_SHA)|AUTH_ENDPOINT|AUTH_VERIFY_TENANT_ID)',
    'LANGSMITH_HOST_(PROJECT_ID|PROJECT_NAME|REVISION_ID)',
    'DD_TRACE_(PSYCOPG|REDIS)_ENABLED',
  ].join('|')})$`,
);

/** Throws InvalidFields for invalid, reserved or duplicate names. */
export function checkSecrets(secrets: Secret[], loc: string[] = ['body', 'secrets']): void {
  const seen = new Set<string>();
  secrets.forEach(({ name, value }, index) => {
    const place = [...loc, index, 'name'];
    if (!NAME.test(name))
      throw invalidField(place, `'${name}' cannot be the name of an environment variable`);
    if (RESERVED.test(name)) throw invalidField(place, `'${name}' is set by the platform`);
    if (seen.has(name)) throw invalidField(place, `'${name}' is given twice`);
    if (value.includes('\0'))
      throw invalidField([...loc, index, 'value'], 'a value cannot contain a null byte');
    seen.add(name);
  });
}

/** Seals a revision's environment for that revision only. */
export const sealEnvironment = (box: SealedBox, revisionId: string, secrets: Secret[]): Buffer =>
  box.seal(JSON.stringify(secrets), `revision/${revisionId}`);

export const openEnvironment = (box: SealedBox, revisionId: string, sealed: Buffer): Secret[] =>
  JSON.parse(box.open(sealed, `revision/${revisionId}`)) as Secret[];
