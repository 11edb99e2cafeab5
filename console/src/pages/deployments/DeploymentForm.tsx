import {
  Button,
  Fieldset,
  FileInput,
  Group,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { Deployment, Source } from '../../api/control-plane-records.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { faultAt } from '../../parts/field-faults.ts';
import { BuildFields, GitFields } from './SourceFields.tsx';
import { formValues, type FormValues } from './form-values.ts';
import { ResourceFields } from './ResourceFields.tsx';
import { VariableFields } from './VariableFields.tsx';

const SOURCES: { value: Source; label: string }[] = [
  { value: 'git_host', label: 'Git' },
  { value: 'external_container', label: 'Image' },
  { value: 'internal_source', label: 'Upload' },
  { value: 'internal_container', label: 'Push' },
];

// Fields that show their own errors.
const SHOWN = [
  'name',
  'source_config.repo_url',
  'source_config.integration_id',
  'source_config.build_on_push',
  'source_config.watch_paths',
  'source_config.preview_pull_requests',
  'source_config.install_command',
  'source_config.build_command',
  'source_revision_config.repo_ref',
  'source_revision_config.graph_config_path',
  'source_revision_config.image_uri',
];

export interface FieldsProps {
  values: FormValues;
  change: (changes: Partial<FormValues>) => void;
  error: unknown;
  /** The source of an existing deployment cannot change. */
  isNew: boolean;
}

/** Form for a deployment. Server-side errors appear at their fields. */
export function DeploymentForm({
  deployment,
  submitLabel,
  onSubmit,
  isBusy,
  error,
}: {
  deployment?: Deployment;
  submitLabel: string;
  onSubmit: (values: FormValues) => void;
  isBusy: boolean;
  error: unknown;
}) {
  const [values, setValues] = useState(() => formValues(deployment));
  const change = (changes: Partial<FormValues>): void => setValues((before) => ({ ...before, ...changes }));
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Scrolls to the first invalid field.
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit(values);
  };
  const isNew = !deployment;
  const fields = { values, change, error, isNew };
  return (
    <form ref={form} onSubmit={submit} noValidate style={{ maxWidth: 720 }}>
      <Stack gap="lg">
        {isNew && (
          <TextInput
            label="Name"
            description="Letters, digits, dots, dashes, underscores and spaces; at most 63"
            name="name"
            autoFocus
            value={values.name}
            error={faultAt(error, 'name')}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        )}
        <Fieldset legend="Source">
          <Stack gap="sm">
            {isNew && (
              <SegmentedControl
                size="xs"
                aria-label="Source"
                value={values.source}
                onChange={(source) => change({ source })}
                data={SOURCES}
              />
            )}
            {values.source === 'git_host' && <GitFields {...fields} />}
            {(values.source === 'external_container' ||
              (values.source === 'internal_container' && !isNew)) && (
              <TextInput
                label="Image"
                description={
                  values.source === 'external_container'
                    ? 'An agent server image, such as one built by `langgraph build`'
                    : 'An image pushed to this deployment’s repository'
                }
                name="image_uri"
                placeholder="registry.example.com/team/agent:1.0"
                value={values.image_uri}
                error={faultAt(error, 'source_revision_config.image_uri')}
                onChange={(event) => change({ image_uri: event.currentTarget.value })}
              />
            )}
            {values.source === 'internal_container' && isNew && (
              <Text size="sm">
                Push the image to the platform’s registry. After you create the deployment, its page shows the
                commands.
              </Text>
            )}
            {values.source === 'internal_source' && (
              <FileInput
                label="Archive"
                description="The project as .tar.gz, without node_modules: tar -czf agent.tgz --exclude node_modules ."
                placeholder="Choose a file"
                name="archive"
                accept=".tgz,.tar.gz,application/gzip"
                clearable
                value={values.archive}
                error={faultAt(error, 'source_revision_config.source_tarball_path')}
                onChange={(archive) => change({ archive })}
              />
            )}
            {(values.source === 'git_host' || values.source === 'internal_source') && (
              <BuildFields {...fields} />
            )}
          </Stack>
        </Fieldset>
        <VariableFields {...fields} />
        <ResourceFields {...fields} />
        <Switch
          label="Require approval before a built revision is deployed"
          checked={values.requires_approval}
          onChange={(event) => change({ requires_approval: event.currentTarget.checked })}
        />
        <ErrorNotice error={error} title="Could not save" hide={SHOWN} />
        <Group>
          <Button type="submit" size="sm" loading={isBusy}>
            {submitLabel}
          </Button>
          <Button
            variant="default"
            size="sm"
            component={Link}
            to={deployment ? `/deployments/${deployment.id}` : '/deployments'}
          >
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
