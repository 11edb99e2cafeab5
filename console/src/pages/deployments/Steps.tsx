import type { Timeline } from '../../api/control-plane-records.ts';
import { Duration } from '../../parts/Duration.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import classes from './Steps.module.css';
import { isInProgress } from './revision-states.ts';

/** Steps of a revision with their durations. */
export const Steps = ({ steps, now }: { steps: Timeline['steps']; now: number }) => (
  <ol className={classes.steps} aria-label="Steps">
    {steps.map(({ status, message, at, duration_ms }, index) => {
      const isOpen = duration_ms === null && isInProgress(status);
      const tone = index < steps.length - 1 ? 'idle' : undefined;
      return (
        <li key={`${at} ${status}`} className={classes.step}>
          <StatusBadge status={status} {...(tone && { tone })} />
          <span className={classes.message}>{message}</span>
          <span className={classes.time}>
            {(duration_ms !== null || isOpen) && (
              <Duration ms={duration_ms ?? Math.max(0, now - Date.parse(at))} />
            )}
            <TimeText at={at} />
          </span>
        </li>
      );
    })}
  </ol>
);
