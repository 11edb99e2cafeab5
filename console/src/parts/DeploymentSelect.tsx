import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { deploymentsQuery } from '../api/control-plane.ts';
import { useDeploymentChoice } from './use-deployment-choice.ts';

/** Selects the deployment that the page shows. */
export function DeploymentSelect() {
  const { data = [] } = useQuery(deploymentsQuery);
  const [chosen, choose] = useDeploymentChoice();
  return (
    <NativeSelect
      size="xs"
      w={220}
      maw="100%"
      aria-label="Deployment"
      value={chosen ?? ''}
      onChange={(event) => choose(event.currentTarget.value)}
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
