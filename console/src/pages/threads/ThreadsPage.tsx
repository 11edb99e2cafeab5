import { EmptyState } from '../../parts/EmptyState.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';

export function Component() {
  return (
    <>
      <PageHeader title="Threads and runs" />
      <EmptyState
        title="No threads yet"
        command={`curl -s ${location.origin}/d/<deployment_id>/runs/wait -H 'content-type: application/json' -d '{"assistant_id":"agent","input":{}}'`}
      >
        Threads are conversations with an assistant; each holds its runs.
      </EmptyState>
    </>
  );
}
