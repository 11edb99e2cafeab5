import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { assistantsQuery } from '../../api/agent-assistants.ts';
import { createCron } from '../../api/agent-crons.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonInput } from '../../parts/JsonInput.tsx';
import { jsonFault, readJson } from '../../parts/json-text.ts';
import { scheduleFault } from './next-times.ts';
import NextTimes from './NextTimes.tsx';

const ZONES = Intl.supportedValuesOf('timeZone');
const LOCAL_TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Form to create a cron. */
export default function CronForm({ deploymentId, onDone }: { deploymentId: string; onDone: () => void }) {
  const { data: assistants = [] } = useQuery(assistantsQuery(deploymentId));
  const queries = useQueryClient();
  const [chosen, setChosen] = useState('');
  const [schedule, setSchedule] = useState('0 9 * * 1-5');
  const [timezone, setTimezone] = useState(LOCAL_TIME_ZONE);
  const [threadId, setThreadId] = useState('');
  const [after, setAfter] = useState('delete');
  const [input, setInput] = useState('{}');
  const assistantId = chosen || assistants[0]?.assistant_id || '';
  const wrong = scheduleFault(schedule);
  const creating = useMutation({
    mutationFn: () =>
      createCron(
        deploymentId,
        {
          assistant_id: assistantId,
          schedule,
          timezone: timezone || null,
          input: readJson(input) ?? null,
          ...(!threadId && { on_run_completed: after as 'delete' | 'keep' }),
        },
        threadId.trim() || null,
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['agent', deploymentId, 'crons'] });
      onDone();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!wrong && !jsonFault(input)) creating.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <NativeSelect
          label="Assistant"
          data-autofocus
          value={assistantId}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={assistants.map(({ assistant_id, name }) => ({ value: assistant_id, label: name }))}
        />
        <TextInput
          label="Schedule"
          description="minute, hour, day of the month, month, day of the week"
          value={schedule}
          onChange={(event) => setSchedule(event.currentTarget.value)}
          error={wrong}
        />
        <NativeSelect
          label="Time zone"
          value={timezone}
          onChange={(event) => setTimezone(event.currentTarget.value)}
          data={[{ value: '', label: 'UTC' }, ...ZONES.filter((zone) => zone !== 'UTC')]}
        />
        {!wrong && <NextTimes schedule={schedule} timezone={timezone || null} />}
        <TextInput
          label="Thread"
          description="Leave empty to create a new thread for each run"
          value={threadId}
          onChange={(event) => setThreadId(event.currentTarget.value)}
        />
        {!threadId && (
          <NativeSelect
            label="After each run"
            value={after}
            onChange={(event) => setAfter(event.currentTarget.value)}
            data={[
              { value: 'delete', label: 'Delete the thread' },
              { value: 'keep', label: 'Keep the thread' },
            ]}
          />
        )}
        <JsonInput label="Input" rows={4} value={input} onChange={setInput} />
        <ErrorNotice error={creating.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={creating.isPending} disabled={!assistantId}>
            Create cron
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
