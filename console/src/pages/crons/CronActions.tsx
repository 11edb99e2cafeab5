import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { type CronRecord, enableCron, removeCron, triggerCron } from '../../api/agent-crons.ts';
import { ConfirmButton } from '../../parts/ConfirmButton.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';

/** Actions on a cron. “Run now” opens the run it starts. */
export function CronActions({ deploymentId, cron }: { deploymentId: string; cron: CronRecord }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const changed = () => queries.invalidateQueries({ queryKey: ['agent', deploymentId, 'crons'] });
  const enabling = useMutation({
    mutationFn: () => enableCron(deploymentId, cron.cron_id, !cron.enabled),
    onSuccess: changed,
  });
  const triggering = useMutation({
    mutationFn: () => triggerCron(deploymentId, cron.cron_id),
    onSuccess: ({ run_id, thread_id }) => navigate(`/threads/${deploymentId}/${thread_id}/runs/${run_id}`),
  });
  const remove = async (): Promise<void> => {
    await removeCron(deploymentId, cron.cron_id);
    await changed();
  };
  return (
    <>
      <Group gap={6} justify="flex-end">
        <Button
          variant="default"
          size="compact-xs"
          loading={triggering.isPending}
          onClick={() => triggering.mutate()}
        >
          Run now
        </Button>
        <Button
          variant="default"
          size="compact-xs"
          loading={enabling.isPending}
          onClick={() => enabling.mutate()}
        >
          {cron.enabled ? 'Pause' : 'Resume'}
        </Button>
        <ConfirmButton
          size="compact-xs"
          label="Delete"
          question={`The cron “${cron.schedule}” will not start any more runs. Existing runs are kept.`}
          isDangerous
          onConfirm={remove}
        />
      </Group>
      <ErrorNotice error={enabling.error ?? triggering.error} />
    </>
  );
}
