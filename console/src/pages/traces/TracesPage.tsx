import { EmptyState } from '../../parts/EmptyState.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';

export function Component() {
  return (
    <>
      <PageHeader title="Traces" />
      <EmptyState
        title="No traces yet"
        command={`export LANGSMITH_TRACING=true LANGSMITH_ENDPOINT=${location.origin} LANGSMITH_API_KEY=$KEY`}
      >
        Every model call that your agents make, with its messages, tokens and cost.
      </EmptyState>
    </>
  );
}
