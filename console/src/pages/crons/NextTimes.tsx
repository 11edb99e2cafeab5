import { List } from '@mantine/core';
import { absoluteTime, TimeText } from '../../parts/TimeText.tsx';
import { nextTimes } from './next-times.ts';

const SHOWN = 5;

/** Next run times in the browser's time zone. */
export default function NextTimes({ schedule, timezone }: { schedule: string; timezone: string | null }) {
  const times = nextTimes(schedule, timezone, SHOWN);
  if (times.length === 0) return <p>No more runs scheduled.</p>;
  return (
    <List size="sm" aria-label="Next runs">
      {times.map((time) => (
        <List.Item key={time.toISOString()}>
          {absoluteTime(time.toISOString())} (<TimeText at={time.toISOString()} />)
        </List.Item>
      ))}
    </List>
  );
}
