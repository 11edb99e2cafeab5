import { PageHeader } from '../../parts/PageHeader.tsx';

export function Component() {
  return <PageHeader title="Settings" />;
}
