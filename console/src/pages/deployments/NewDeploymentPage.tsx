import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useNavigate } from 'react-router';
import type { Deployment } from '../../api/control-plane-records.ts';
import { createDeployment, createRevision, uploadArchive } from '../../api/control-plane.ts';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { DeploymentForm } from './DeploymentForm.tsx';
import { formBody, type FormValues } from './form-values.ts';

export function Component() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  // Created by an earlier attempt whose upload failed.
  const made = useRef<Deployment | undefined>(undefined);
  const creating = useMutation({
    mutationFn: async (values: FormValues): Promise<Deployment> => {
      const body = formBody(values);
      const deployment = (made.current ??= await createDeployment(body));
      if (values.source === 'internal_source' && values.archive) {
        const source_tarball_path = await uploadArchive(deployment.id, values.archive);
        await createRevision(deployment.id, {
          source_revision_config: { ...body.source_revision_config, source_tarball_path },
          secrets: body.secrets,
          reason: `upload of ${values.archive.name}`,
        });
      }
      return deployment;
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['deployments'] });
      await navigate(`/deployments/${id}`);
    },
  });
  return (
    <>
      <PageHeader title="New deployment" parents={[{ label: 'Deployments', to: '/deployments' }]} />
      <DeploymentForm
        submitLabel="Create"
        onSubmit={creating.mutate}
        isBusy={creating.isPending}
        error={creating.error}
      />
    </>
  );
}
