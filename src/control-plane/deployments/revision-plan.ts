import type { Static } from 'typebox';
import type {
  DeploymentCreate,
  DeploymentPatch,
  DeploymentRow,
  SecretReferences,
} from '../records/deployment.ts';
import { shownConfig } from '../records/repository-address.ts';
import { InvalidFields, invalidField } from '../errors.ts';
import { faultOfRepoUrl } from '../records/git-address.ts';
import { checkBounds } from '../scaling/scale-bounds.ts';
import type { Secret } from '../secrets/environment.ts';
import { plainConfig, plainSource, type Source } from '../vocabulary.ts';
import { REVISION_KEYS } from '../records/revision.ts';

type Config = Record<string, unknown>;
export type Create = Static<typeof DeploymentCreate>;
export type Patch = Static<typeof DeploymentPatch>;

/** The deployment after a change, and the revision the change needs, if any. */
export interface Plan {
  source_config: Config;
  revision?:
    | {
        source: Source;
        source_revision_config: Config;
        secrets: Secret[];
        secret_references: SecretReferences;
      }
    | undefined;
}

// Which keys apply to which source (contract §2.5).
const APPLIES: Record<(typeof REVISION_KEYS)[number], readonly Source[]> = {
  repo_ref: ['git_host'],
  graph_config_path: ['git_host', 'internal_source'],
  image_uri: ['external_container', 'internal_container'],
  source_tarball_path: ['internal_source'],
};
// Keys of `source_config` fixed at creation (contract §2.3).
const FIXED = ['integration_id', 'repo_url', 'deployment_type', 'listener_id'] as const;

/** A revision with the current configuration; its branch is resolved at build time. */
export function unchangedRevision(
  {
    source,
    source_revision_config,
    secret_references,
  }: Pick<DeploymentRow, 'source' | 'source_revision_config' | 'secret_references'>,
  secrets: Secret[],
): NonNullable<Plan['revision']> {
  const config = forSource(source, readable(source_revision_config ?? {}));
  return { source, source_revision_config: config, secrets, secret_references };
}

/** Read-only: each revision resolves its own commit. */
const readable = ({ repo_commit_sha: _sha, ...config }: Config): Config => config;

/** null keeps the current value (contract §2.6). */
const given = (config: Config = {}): Config =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null && value !== undefined));

/** Throws InvalidFields. */
export function planCreate(create: Create): Plan & { source: Source } {
  const source = plainSource(create.source);
  const source_config = given(create.source_config);
  const config = readable(given(plainConfig(create.source_revision_config)));
  checkConfig(source, config);
  if (source === 'git_host' && !source_config['repo_url'])
    throw invalidField(['body', 'source_config', 'repo_url'], 'Field required', 'missing');
  const fault = faultOfRepoUrl(source_config['repo_url']);
  if (fault) throw invalidField(['body', 'source_config', 'repo_url'], fault);
  if (source === 'external_container' && !config['image_uri'])
    throw invalidField(['body', 'source_revision_config', 'image_uri'], 'Field required', 'missing');
  if (config['source_tarball_path'])
    throw invalidField(
      ['body', 'source_revision_config', 'source_tarball_path'],
      'Uploads need an existing deployment',
    );
  checkTag(config, source_config);
  checkBounds(source_config);
  checkReferences(source, create.secret_references);
  const { secrets = [], secret_references = null } = create;
  const starts = source === 'git_host' || source === 'external_container';
  return {
    source,
    source_config,
    ...(starts && { revision: { source, source_revision_config: config, secrets, secret_references } }),
  };
}

/** Inherits the latest revision's environment unless the patch replaces it. Throws InvalidFields. */
export function planPatch(
  deployment: Pick<
    DeploymentRow,
    'name' | 'source' | 'source_config' | 'source_revision_config' | 'secret_references'
  >,
  patch: Patch,
  carried: Secret[],
): Plan {
  if (patch.name !== undefined && patch.name !== deployment.name) throw fixedField(['body', 'name']);
  if (patch.source && plainSource(patch.source) !== deployment.source) throw fixedField(['body', 'source']);
  const changes = given(patch.source_config);
  const shown = shownConfig(deployment.source_config);
  for (const key of FIXED) {
    // Clients may send back what they read.
    if (changes[key] === shown[key]) delete changes[key];
    if (changes[key] !== undefined && changes[key] !== deployment.source_config[key])
      throw fixedField(['body', 'source_config', key]);
  }
  const source_config = { ...deployment.source_config, ...changes };
  const source = patch.revision_source ? plainSource(patch.revision_source) : deployment.source;
  const config = readable(given(plainConfig(patch.source_revision_config)));
  checkConfig(source, config);
  const merged = { ...readable(given(deployment.source_revision_config ?? {})), ...config };
  checkTag(merged, source_config);
  if (changes['resource_spec'] !== undefined) checkBounds(source_config);
  checkReferences(source, patch.secret_references);
  const secret_references = patch.secret_references ?? deployment.secret_references;
  const secrets = secretsOf(patch, carried);
  const asked =
    REVISION_KEYS.some((key) => config[key] !== undefined) ||
    changes['resource_spec'] !== undefined ||
    patch.secret_references != null ||
    secrets !== carried;
  return {
    source_config,
    ...(asked && {
      revision: { source, source_revision_config: forSource(source, merged), secrets, secret_references },
    }),
  };
}

const fixedField = (loc: string[]): InvalidFields =>
  invalidField(loc, `${loc.at(-1)} cannot be changed after the deployment is created`);

/**
 * The environment after a patch; `carried` itself if unchanged. An empty list counts as none, as clients expect,
 * unless the mode is `replace` (contract §2.6).
 */
function secretsOf({ secrets = [], secrets_mode, removed_secrets = [] }: Patch, carried: Secret[]): Secret[] {
  if (secrets_mode !== 'merge') return secrets.length > 0 || secrets_mode === 'replace' ? secrets : carried;
  if (secrets.length === 0 && removed_secrets.length === 0) return carried;
  const gone = new Set([...removed_secrets, ...secrets.map(({ name }) => name)]);
  return [...carried.filter(({ name }) => !gone.has(name)), ...secrets];
}

const forSource = (source: Source, config: Config): Config =>
  Object.fromEntries(
    Object.entries(config).filter(([key]) => APPLIES[key as keyof typeof APPLIES]?.includes(source) ?? true),
  );

function checkConfig(source: Source, config: Config): void {
  const faults = REVISION_KEYS.filter(
    (key) => config[key] !== undefined && !APPLIES[key].includes(source),
  ).map((key) => ({
    loc: ['body', 'source_revision_config', key],
    msg: `${key} does not apply to source ${source}`,
    type: 'value_error',
  }));
  if (faults.length > 0) throw new InvalidFields(faults);
}

function checkReferences(source: Source, references: SecretReferences | undefined): void {
  if (!references?.length || source === 'external_container') return;
  throw invalidField(['body', 'secret_references'], `secret_references do not apply to source ${source}`);
}

/** Checks the merged old and new values. */
function checkTag(config: Config, sourceConfig: Config): void {
  const { repo_ref } = config;
  if (typeof repo_ref !== 'string' || !repo_ref.startsWith('refs/tags/') || !sourceConfig['build_on_push'])
    return;
  throw invalidField(
    ['body', 'source_config', 'build_on_push'],
    'build_on_push must be false when repo_ref is a tag',
  );
}
