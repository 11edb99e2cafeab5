import { Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { deploymentKey, deploymentQuery, patchDeployment, uploadArchive } from '../../api/control-plane.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { DeploymentForm } from './DeploymentForm.tsx';
import { formBody, type FormValues } from './form-values.ts';

export function Component() {
  const { deploymentId = '' } = useParams();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: deployment, error } = useQuery({ ...deploymentQuery(deploymentId), refetchInterval: false });
  const changing = useMutation({
    mutationFn: async (values: FormValues) => {
      const body = formBody(values, deployment);
      const { archive } = values;
      if (archive)
        body.source_revision_config.source_tarball_path = await uploadArchive(deploymentId, archive);
      return patchDeployment(deploymentId, {
        ...body,
        reason: archive ? `upload of ${archive.name}` : 'edited',
      });
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: deploymentKey(deploymentId) });
      await navigate(`/deployments/${deploymentId}`);
    },
  });
  const parents = [
    { label: 'Deployments', to: '/deployments' },
    { label: deployment?.name ?? '…', to: `/deployments/${deploymentId}` },
  ];
  return (
    <>
      <PageHeader title="Edit" parents={parents}>
        Changing the branch, image, environment or resources creates a revision.
      </PageHeader>
      <ErrorNotice error={error} title="Could not load this deployment" />
      {!deployment && !error && <Skeleton height={420} maw={720} />}
      {deployment && (
        <DeploymentForm
          key={deployment.id}
          deployment={deployment}
          submitLabel="Save"
          onSubmit={changing.mutate}
          isBusy={changing.isPending}
          error={changing.error}
        />
      )}
    </>
  );
}
