import { Group, NativeSelect, Switch, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { integrationsQuery } from '../../api/integrations.ts';
import { faultAt } from '../../parts/field-faults.ts';
import type { FieldsProps } from './DeploymentForm.tsx';

/** Git source and the effect of the git host's events. */
export function GitFields({ values, change, error, isNew }: FieldsProps) {
  const { data: integrations = [] } = useQuery(integrationsQuery);
  const settled = !isNew && {
    description: 'Cannot be changed after creation',
    variant: 'filled' as const,
  };
  const repositories = integrations
    .filter(({ id }) => !values.integration_id || id === values.integration_id)
    .flatMap(({ repositories }) => repositories);
  return (
    <>
      <TextInput
        label="Repository"
        list="repositories"
        name="repo_url"
        placeholder="https://github.com/team/agent.git"
        readOnly={!isNew}
        {...settled}
        value={values.repo_url}
        error={faultAt(error, 'source_config.repo_url')}
        onChange={(event) => change({ repo_url: event.currentTarget.value })}
      />
      <datalist id="repositories">
        {repositories.map(({ url, owner, name }) => (
          <option key={url} value={url}>
            {owner}/{name}
          </option>
        ))}
      </datalist>
      {(isNew ? integrations.length > 0 : values.integration_id) && (
        <NativeSelect
          label="Integration"
          description="Git host account that fetches the repository and sends events"
          disabled={!isNew}
          {...settled}
          value={values.integration_id}
          error={faultAt(error, 'source_config.integration_id')}
          onChange={(event) => change({ integration_id: event.currentTarget.value })}
          data={[
            { value: '', label: 'None: public repository, or credentials in variables' },
            ...integrations.map(({ id, name, kind }) => ({ value: id, label: `${name} (${kind})` })),
          ]}
        />
      )}
      <TextInput
        label="Branch, tag or commit"
        description="Defaults to the repository’s default branch"
        name="repo_ref"
        placeholder="main"
        value={values.repo_ref}
        error={faultAt(error, 'source_revision_config.repo_ref')}
        onChange={(event) => change({ repo_ref: event.currentTarget.value })}
      />
      <Switch
        label="Deploy on push"
        description="Requires the webhook of an integration (Settings, Integrations)"
        checked={values.build_on_push}
        error={faultAt(error, 'source_config.build_on_push')}
        onChange={(event) => change({ build_on_push: event.currentTarget.checked })}
      />
      {values.build_on_push && (
        <Textarea
          label="Only for changes to"
          description=".gitignore patterns, one per line; empty matches every push"
          placeholder={'agents/**\n!**/*.md'}
          autosize
          minRows={2}
          classNames={{ input: 'mono' }}
          value={values.watch_paths}
          error={faultAt(error, 'source_config.watch_paths')}
          onChange={(event) => change({ watch_paths: event.currentTarget.value })}
        />
      )}
      <Switch
        label="Preview pull requests"
        description="A separate deployment with this environment until the pull request is closed"
        checked={values.preview_pull_requests}
        error={faultAt(error, 'source_config.preview_pull_requests')}
        onChange={(event) => change({ preview_pull_requests: event.currentTarget.checked })}
      />
      {values.preview_pull_requests && (
        <Switch
          label="Include forks"
          description="Anyone who opens a pull request can read this deployment’s environment"
          checked={values.preview_forks}
          onChange={(event) => change({ preview_forks: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

/** Build settings that override what is detected. */
export const BuildFields = ({ values, change, error }: FieldsProps) => (
  <>
    <TextInput
      label="Graph configuration file"
      description="Defaults to graph.json or langgraph.json"
      name="graph_config_path"
      placeholder="graph.json"
      value={values.graph_config_path}
      error={faultAt(error, 'source_revision_config.graph_config_path')}
      onChange={(event) => change({ graph_config_path: event.currentTarget.value })}
    />
    <Group grow align="start" preventGrowOverflow={false} wrap="wrap">
      <TextInput
        label="Install command"
        placeholder="from the lockfile"
        name="install_command"
        value={values.install_command}
        error={faultAt(error, 'source_config.install_command')}
        onChange={(event) => change({ install_command: event.currentTarget.value })}
      />
      <TextInput
        label="Build command"
        placeholder="none"
        name="build_command"
        value={values.build_command}
        error={faultAt(error, 'source_config.build_command')}
        onChange={(event) => change({ build_command: event.currentTarget.value })}
      />
    </Group>
  </>
);
