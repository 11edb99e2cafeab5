import { Group, Switch, TextInput } from '@mantine/core';
import { faultAt } from '../../parts/field-faults.ts';
import type { FieldsProps } from './DeploymentForm.tsx';

/** Where the project is fetched from. */
export const GitFields = ({ values, change, error, isNew }: FieldsProps) => (
  <>
    <TextInput
      label="Repository"
      name="repo_url"
      placeholder="https://github.com/team/agent.git"
      disabled={!isNew}
      {...(!isNew && { description: 'Settled when the deployment was created' })}
      value={values.repo_url}
      error={faultAt(error, 'source_config.repo_url')}
      onChange={(event) => change({ repo_url: event.currentTarget.value })}
    />
    <TextInput
      label="Branch, tag or commit"
      description="The repository’s own branch where nothing is said"
      name="repo_ref"
      placeholder="main"
      value={values.repo_ref}
      error={faultAt(error, 'source_revision_config.repo_ref')}
      onChange={(event) => change({ repo_ref: event.currentTarget.value })}
    />
    <Switch
      label="A push makes a revision"
      description="Needs a webhook of an integration"
      checked={values.build_on_push}
      error={faultAt(error, 'source_config.build_on_push')}
      onChange={(event) => change({ build_on_push: event.currentTarget.checked })}
    />
  </>
);

/** How it is built, where that is not found out from the project. */
export const BuildFields = ({ values, change, error }: FieldsProps) => (
  <>
    <TextInput
      label="Configuration of the graphs"
      description="graph.json or langgraph.json where nothing is said"
      name="graph_config_path"
      placeholder="graph.json"
      value={values.graph_config_path}
      error={faultAt(error, 'source_revision_config.graph_config_path')}
      onChange={(event) => change({ graph_config_path: event.currentTarget.value })}
    />
    <Group grow align="start" preventGrowOverflow={false} wrap="wrap">
      <TextInput
        label="Install command"
        placeholder="by the lockfile"
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
