import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { Deployment } from '../../api/control-plane-records.ts';

/** Links to other pages about the deployment. */
export const DeploymentLinks = ({ deployment: { id, name } }: { deployment: Deployment }) => {
  const places = [
    ['Playground', `/playground/${id}`],
    ['Threads', `/threads?${new URLSearchParams({ deployment: id })}`],
    ['Traces', `/traces?${new URLSearchParams({ name })}`],
  ] as const;
  return places.map(([label, to]) => (
    <Anchor key={label} component={Link} to={to} size="sm">
      {label}
    </Anchor>
  ));
};
