import type { Timeline } from '../../api/control-plane-records.ts';
import { durationText } from '../../parts/Duration.tsx';
import { statusText } from '../../parts/StatusBadge.tsx';
import classes from './PhaseBar.module.css';
import { type Phase, phasesOf } from './phases.ts';

/** Durations of the phases, to scale. */
export function PhaseBar({ steps, now }: { steps: Timeline['steps']; now: number }) {
  const phases = phasesOf(steps, now);
  const total = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  return (
    <figure className={classes.figure}>
      <div className={classes.bar} aria-hidden="true">
        {phases.map((phase) => (
          <span
            key={phase.name}
            className={classes.part}
            data-phase={phase.name}
            style={{ flexGrow: phase.ms / total }}
          />
        ))}
      </div>
      <figcaption className={classes.legend}>
        {phases.map((phase) => (
          <Entry key={phase.name} {...phase} />
        ))}
        <span className="numeric">{durationText(total)} in all</span>
      </figcaption>
    </figure>
  );
}

const Entry = ({ name, ms, isOpen }: Phase) => (
  <span className={classes.entry}>
    <span className={classes.key} data-phase={name} aria-hidden="true" />
    {statusText(name)} <span className="numeric">{durationText(ms)}</span>
    {isOpen && ' so far'}
  </span>
);
