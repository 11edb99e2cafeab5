import { List } from '@mantine/core';
import { absoluteTime, TimeText } from '../../parts/TimeText.tsx';
import { nextTimes } from './next-times.ts';

const SHOWN = 5;

/** The next times of a schedule, in this browser's time zone. */
export default function NextTimes({ schedule, timezone }: { schedule: string; timezone: string | null }) {
  const times = nextTimes(schedule, timezone, SHOWN);
  if (times.length === 0) return <p>It comes never again.</p>;
  return (
    <List size="sm" aria-label="Next times">
      {times.map((time) => (
        <List.Item key={time.toISOString()}>
          {absoluteTime(time.toISOString())} (<TimeText at={time.toISOString()} />)
        </List.Item>
      ))}
    </List>
  );
}
