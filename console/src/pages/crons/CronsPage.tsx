import { EmptyState } from '../../parts/EmptyState.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';

export function Component() {
  return (
    <>
      <PageHeader title="Crons" />
      <EmptyState
        title="No crons here yet"
        command={`curl -s ${location.origin}/d/<deployment_id>/runs/crons/search -H 'content-type: application/json' -d '{}'`}
      >
        A cron runs an assistant on a schedule.
      </EmptyState>
    </>
  );
}
