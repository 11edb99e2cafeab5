import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Run, RunSummary } from '../../api/tracing-records.ts';
import { runPageQuery } from '../../api/tracing-runs.ts';
import { absoluteTime } from '../../parts/TimeText.tsx';
import classes from './ComparePage.module.css';
import { between } from './numbers.tsx';
import { durationText } from '../../parts/Duration.tsx';

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Selects the run to compare with: a recent one of the same name, or any by id or URL. */
export function OtherRun({
  run,
  chosen,
  onChoose,
}: {
  run: Run;
  chosen: string;
  onChoose: (id: string) => void;
}) {
  const { data } = useQuery(
    runPageQuery(() => ({ session: [run.session_id], filter: `eq(name, ${JSON.stringify(run.name)})` }), {
      key: ['of-name', run.session_id, run.name],
      cursor: undefined,
      isLive: false,
    }),
  );
  const others = (data?.runs ?? []).filter(({ id }) => id !== run.id);
  return (
    <div className={classes.choose}>
      <NativeSelect
        label={`Compare with another run of ${run.name}`}
        value={others.some(({ id }) => id === chosen) ? chosen : ''}
        data={[
          { value: '', label: others.length > 0 ? 'Choose…' : 'None available' },
          ...others.map((other) => ({ value: other.id, label: labelOf(other) })),
        ]}
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
      <TextInput
        label="Or any run, by id or URL"
        placeholder="Paste an id or URL"
        value=""
        onChange={(event) => {
          const id = event.currentTarget.value.match(ID)?.at(-1);
          if (id) onChoose(id);
        }}
      />
    </div>
  );
}

const labelOf = ({ start_time, end_time, status }: RunSummary): string => {
  const ms = between(start_time, end_time);
  return [absoluteTime(start_time), ms === null ? 'running' : durationText(ms), status].join(', ');
};
