import { EmptyState } from '../../parts/EmptyState.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';

export function Component() {
  return (
    <>
      <PageHeader title="Dashboards" />
      <EmptyState
        title="No traces to count yet"
        command={`curl -s -H "X-Api-Key: $KEY" ${location.origin}/sessions`}
      >
        Runs, errors, latency, tokens and cost over time, once agents log their runs.
      </EmptyState>
    </>
  );
}
