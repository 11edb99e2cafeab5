import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import { assistantsQuery } from '../../api/agent-assistants.ts';
import { type CronRecord, cronsQuery } from '../../api/agent-crons.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { DeploymentSelect } from '../../parts/DeploymentSelect.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { useDeploymentChoice } from '../../parts/use-deployment-choice.ts';
import { useSearch } from '../../parts/use-search.ts';
import { CronActions } from './CronActions.tsx';

const CronForm = lazy(() => import('./CronForm.tsx'));
const CronDetail = lazy(() => import('./CronDetail.tsx'));

const columnsOf = (
  deploymentId: string,
  nameOf: (assistantId: string) => string,
  toCron: (id: string) => string,
): Column<CronRecord>[] => [
  {
    id: 'schedule',
    header: 'Schedule',
    cell: ({ cron_id, schedule }) => (
      <Anchor component={Link} to={toCron(cron_id)} className="mono" style={{ whiteSpace: 'nowrap' }}>
        {schedule}
      </Anchor>
    ),
  },
  { id: 'zone', header: 'Time zone', cell: ({ timezone }) => timezone ?? 'UTC', wideOnly: true },
  {
    id: 'assistant',
    header: 'Assistant',
    cell: ({ assistant_id }) => nameOf(assistant_id),
    wideOnly: true,
  },
  {
    id: 'next',
    header: 'Next',
    sortBy: ({ enabled, next_run_date }) => (enabled ? next_run_date : null),
    cell: ({ enabled, next_run_date }) =>
      !enabled ? (
        <StatusBadge status="paused" tone="idle" />
      ) : next_run_date === null ? (
        <StatusBadge status="over" tone="idle" />
      ) : (
        <TimeText at={next_run_date} />
      ),
  },
  {
    id: 'actions',
    header: 'Actions',
    align: 'right',
    cell: (cron) => <CronActions deploymentId={deploymentId} cron={cron} />,
  },
];

export function Component() {
  const [deploymentId = ''] = useDeploymentChoice();
  const [search, setSearch] = useSearch();
  const { data, error, refetch } = useQuery({ ...cronsQuery(deploymentId), enabled: deploymentId !== '' });
  const { data: assistants } = useQuery({
    ...assistantsQuery(deploymentId),
    enabled: deploymentId !== '',
  });
  const nameOf = (id: string): string =>
    assistants?.find(({ assistant_id }) => assistant_id === id)?.name ?? `${id.slice(0, 8)}…`;
  const opened = search.get('cron');
  const shown = data?.find(({ cron_id }) => cron_id === opened);
  const close = (): void => setSearch({ deployment: deploymentId });
  const to = (cron: string): string => `/crons?${new URLSearchParams({ deployment: deploymentId, cron })}`;
  const newButton = (
    <Button component={Link} to={to('new')} leftSection={<Icon name="plus" size={14} />}>
      New cron
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Crons"
        actions={
          <>
            <DeploymentSelect />
            {newButton}
          </>
        }
      >
        Run assistants on a schedule.
      </PageHeader>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!error && (
        <DataTable
          label="Crons"
          columns={columnsOf(deploymentId, nameOf, to)}
          rows={data}
          rowId={({ cron_id }) => cron_id}
          empty={
            <EmptyState
              title="No crons yet"
              action={newButton}
              command={`curl -s -H "X-Api-Key: $KEY" ${location.origin}/d/${deploymentId}/runs/crons -H 'content-type: application/json' -d '{"assistant_id":"agent","schedule":"0 9 * * 1-5","timezone":"Europe/Lisbon","input":{}}'`}
            >
              A cron runs an assistant on a schedule, on one thread or on a new thread each time.
            </EmptyState>
          }
        />
      )}
      <Dialog
        size="lg"
        title={shown ? `Cron ${shown.schedule}` : 'New cron'}
        isOpen={opened === 'new' || shown !== undefined}
        onClose={close}
      >
        <Suspense>
          {shown ? (
            <CronDetail deploymentId={deploymentId} cron={shown} />
          ) : (
            <CronForm deploymentId={deploymentId} onDone={close} />
          )}
        </Suspense>
      </Dialog>
    </>
  );
}
