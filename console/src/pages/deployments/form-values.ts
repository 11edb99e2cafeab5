import type { Deployment, DeploymentBody, ResourceSpec, Source } from '../../api/control-plane-records.ts';

/** An environment variable. Stored values are not readable. */
export interface Variable {
  key: string;
  name: string;
  value: string;
  isKept: boolean;
}

export interface FormValues {
  name: string;
  source: Source;
  repo_url: string;
  repo_ref: string;
  graph_config_path: string;
  image_uri: string;
  integration_id: string;
  build_on_push: boolean;
  /** One pattern per line. */
  watch_paths: string;
  preview_pull_requests: boolean;
  preview_forks: boolean;
  requires_approval: boolean;
  install_command: string;
  build_command: string;
  resources: { [Name in keyof ResourceSpec]-?: string };
  variables: Variable[];
  removed: string[];
  archive: File | null;
}

const text = (value: string | number | null | undefined): string => String(value ?? '');

/** Initial form values, of a deployment or empty. */
export function formValues(deployment?: Deployment): FormValues {
  const { source_config: config = {}, source_revision_config: revision } = deployment ?? {};
  const spec = config.resource_spec;
  return {
    name: deployment?.name ?? '',
    source: deployment?.source ?? 'git_host',
    repo_url: text(config.repo_url),
    repo_ref: text(revision?.repo_ref),
    graph_config_path: text(revision?.graph_config_path),
    image_uri: text(revision?.image_uri),
    integration_id: text(config.integration_id),
    build_on_push: config.build_on_push ?? false,
    watch_paths: (config.watch_paths ?? []).join('\n'),
    preview_pull_requests: config.preview_pull_requests ?? false,
    preview_forks: config.preview_forks ?? false,
    requires_approval: config.requires_approval ?? false,
    install_command: text(config.install_command),
    build_command: text(config.build_command),
    resources: {
      min_scale: text(spec?.min_scale),
      max_scale: text(spec?.max_scale),
      cpu: text(spec?.cpu),
      memory_limit_mb: text(spec?.memory_limit_mb),
    },
    variables: (deployment?.secrets ?? []).map(({ name }) => ({ key: name, name, value: '', isKept: true })),
    removed: [],
    archive: null,
  };
}

const orNull = (value: string): string | null => value.trim() || null;

/** Null keeps the current value, an empty text clears it. */
const changed = (value: string, before: string | null | undefined): string | null =>
  value.trim() === text(before) ? null : value.trim();

/** The patterns in a text, one per line. */
const patterns = (value: string): string[] => value.split('\n').flatMap((line) => line.trim() || []);

function resourceSpec(
  resources: FormValues['resources'],
  before: ResourceSpec = {},
): ResourceSpec | undefined {
  const given = Object.entries(resources).flatMap(([name, value]) =>
    value.trim() ? [[name, Number(value)] as const] : [],
  );
  const changed = Object.entries(resources).some(
    ([name, value]) => value.trim() !== text(before[name as keyof ResourceSpec]),
  );
  if (!changed) return undefined;
  const rest = Object.entries(before).filter(([name]) => !(name in resources));
  return Object.fromEntries([...rest, ...given]);
}

/** The request body for a form: everything for a new deployment, otherwise the changeable fields. */
export function formBody(values: FormValues, before?: Deployment): DeploymentBody {
  const { source } = values;
  const { source_config: config, source_revision_config: revision } = before ?? {};
  const isGit = source === 'git_host';
  const isBuilt = isGit || source === 'internal_source';
  // Images for the platform's registry are pushed after creation.
  const isImage =
    source === 'external_container' || (source === 'internal_container' && before !== undefined);
  const spec = resourceSpec(values.resources, before?.source_config.resource_spec ?? {});
  const variables = values.variables.filter(({ isKept, name }) => !isKept && (name || !before));
  return {
    ...(!before && { name: values.name.trim(), source }),
    source_config: {
      ...(isGit &&
        !before && { repo_url: orNull(values.repo_url), integration_id: values.integration_id || null }),
      ...(isGit && {
        build_on_push: values.build_on_push,
        watch_paths: patterns(values.watch_paths),
        preview_pull_requests: values.preview_pull_requests,
        preview_forks: values.preview_forks,
      }),
      ...(isBuilt && {
        install_command: changed(values.install_command, config?.install_command),
        build_command: changed(values.build_command, config?.build_command),
      }),
      requires_approval: values.requires_approval,
      ...(spec && { resource_spec: spec }),
    },
    source_revision_config: {
      ...(isGit && { repo_ref: changed(values.repo_ref, revision?.repo_ref) }),
      ...(isBuilt && {
        graph_config_path: changed(values.graph_config_path, revision?.graph_config_path),
      }),
      ...(isImage && {
        image_uri: before ? changed(values.image_uri, revision?.image_uri) || null : orNull(values.image_uri),
      }),
    },
    secrets: variables.map(({ name, value }) => ({ name: name.trim(), value })),
    ...(before && { secrets_mode: 'merge', removed_secrets: values.removed }),
  };
}
