import { Anchor, Button, Group, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import {
  completeReview,
  queuedRunQuery,
  queueQuery,
  queuesQuery,
  type Section,
  removeFromQueue,
} from '../../api/tracing-queues.ts';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Section as PageSection } from '../../parts/Section.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { FeedbackPanel } from '../traces/FeedbackPanel.tsx';
import { RunPanel } from '../traces/RunPanel.tsx';

const NONE: Record<Section, [title: string, text: string]> = {
  needs_my_review: ['No runs to review', 'Add runs with “Add to queue” on any run of a trace.'],
  needs_others_review: [
    'No runs waiting for others',
    'Runs that you have reviewed and others have not appear here.',
  ],
  completed: ['No completed runs yet', 'Runs that everyone has reviewed appear here.'],
};

/** The run at a position of a section, with a feedback form and navigation. */
export function QueuedRunView({
  queueId,
  section,
  size,
}: {
  queueId: string;
  section: Section;
  size: number | undefined;
}) {
  const [search, setSearch] = useSearch();
  const queries = useQueryClient();
  const last = Math.max(0, (size ?? 1) - 1);
  const at = Math.min(Number(search.get('at') ?? 0) || 0, last);
  const { data: run, error } = useQuery(queuedRunQuery(queueId, section, at));
  const go = (place: number): void =>
    setSearch((before) => {
      before.set('at', String(place));
      return before;
    });
  const changed = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: queueQuery(queueId).queryKey }),
      queries.invalidateQueries({ queryKey: queuesQuery.queryKey, exact: true }),
    ]);
  // The next run then moves to this position.
  const complete = useMutation({ mutationFn: completeReview, onSuccess: changed });
  const removing = useMutation({
    mutationFn: (id: string) => removeFromQueue(queueId, id),
    onSuccess: changed,
  });
  const isBusy = complete.isPending || removing.isPending;
  if (error) return <ErrorNotice error={error} title="Could not load the queue" />;
  if (run === undefined) return <Skeleton height={320} />;
  if (run === null) return <EmptyState title={NONE[section][0]}>{NONE[section][1]}</EmptyState>;
  return (
    <>
      <Group component="nav" aria-label="Runs of the queue" gap="xs" mb="sm">
        <Button variant="default" disabled={at === 0} onClick={() => go(at - 1)}>
          Previous
        </Button>
        <span className="numeric">
          {at + 1} of {size ?? '…'}
        </span>
        <Button variant="default" disabled={at >= last} onClick={() => go(at + 1)}>
          Next
        </Button>
        <Anchor component={Link} to={`/traces/runs/${run.id}`} size="sm">
          Open trace
        </Anchor>
        <Group gap="xs" ml="auto">
          <Button variant="default" disabled={isBusy} onClick={() => removing.mutate(run.queue_run_id)}>
            Remove from queue
          </Button>
          {section === 'needs_my_review' && (
            <Button
              loading={complete.isPending}
              disabled={isBusy}
              onClick={() => complete.mutate(run.queue_run_id)}
            >
              Done
            </Button>
          )}
        </Group>
      </Group>
      <ErrorNotice error={complete.error ?? removing.error} title="Could not save" />
      <PageSection title="Feedback">
        <FeedbackPanel key={run.id} runId={run.id} />
      </PageSection>
      <RunPanel runId={run.id} />
    </>
  );
}
