import { SegmentedControl } from '@mantine/core';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useNavigate, useParams } from 'react-router';
import {
  deleteQueue,
  queueQuery,
  queueSizeQuery,
  queuesQuery,
  type Section,
} from '../../api/tracing-queues.ts';
import { ConfirmButton } from '../../parts/ConfirmButton.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { QueuedRunView } from './QueuedRunView.tsx';

const Markdown = lazy(() => import('../../parts/Markdown.tsx'));

const SECTIONS: { value: Section; label: string }[] = [
  { value: 'needs_my_review', label: 'For you' },
  { value: 'needs_others_review', label: 'For others' },
  { value: 'completed', label: 'Done' },
];

/** Reviews the runs of a queue one after another. */
export function Component() {
  const { queueId } = useParams() as { queueId: string };
  const [search, setSearch] = useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: queue, error } = useQuery(queueQuery(queueId));
  const sizes = useQueries({ queries: SECTIONS.map(({ value }) => queueSizeQuery(queueId, value)) });
  const chosen = SECTIONS.findIndex(({ value }) => value === search.get('section'));
  const at = Math.max(0, chosen);
  const { value: section } = SECTIONS[at]!;
  const parents = [{ label: 'Review', to: '/review' }];
  if (!queue)
    return (
      <>
        <PageHeader title="Queue" parents={parents} />
        <ErrorNotice error={error} title="Could not load this queue" />
      </>
    );
  return (
    <>
      <PageHeader
        title={queue.name}
        parents={parents}
        actions={
          <ConfirmButton
            label="Delete"
            question="This deletes the queue and its review progress. Runs and feedback are kept."
            isDangerous
            onConfirm={async () => {
              await deleteQueue(queueId);
              queries.removeQueries({ queryKey: queueQuery(queueId).queryKey });
              await queries.invalidateQueries({ queryKey: queuesQuery.queryKey, exact: true });
              await navigate('/review');
            }}
          />
        }
      >
        {queue.description && <span>{queue.description}</span>}
        {(queue.num_reviewers_per_item ?? 1) > 1 && (
          <span>{queue.num_reviewers_per_item} reviewers per run</span>
        )}
      </PageHeader>
      {queue.rubric_instructions && (
        <Suspense>
          <Markdown text={queue.rubric_instructions} />
        </Suspense>
      )}
      <SegmentedControl
        my="sm"
        aria-label="Queue section"
        data={SECTIONS.map(({ value, label }, place) => ({
          value,
          label: `${label} ${sizes[place]?.data?.size ?? ''}`,
        }))}
        value={section}
        onChange={(value) => setSearch({ section: value }, { replace: true })}
      />
      <QueuedRunView queueId={queueId} section={section} size={sizes[at]?.data?.size} />
    </>
  );
}
