import { EmptyState } from '../../parts/EmptyState.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';

export function Component() {
  return (
    <>
      <PageHeader title="Store" />
      <EmptyState
        title="Nothing is stored yet"
        command={`curl -s ${location.origin}/d/<deployment_id>/store/namespaces -H 'content-type: application/json' -d '{}'`}
      >
        What agents remember across threads, by namespace.
      </EmptyState>
    </>
  );
}
