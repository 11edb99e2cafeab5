import type { Run } from '../../api/tracing-records.ts';
import { Duration } from '../../parts/Duration.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { between } from './numbers.tsx';
import classes from './RunPanel.module.css';

/** Events of a run, relative to its start. */
export function EventList({ run }: { run: Run }) {
  if (run.events.length === 0) return <p className={classes.note}>This run has no events.</p>;
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Offset</th>
          <th scope="col">Event</th>
          <th scope="col">More</th>
        </tr>
      </thead>
      <tbody>
        {run.events.map(({ name, time, ...more }, index) => (
          <tr key={index}>
            <td>
              <Duration ms={typeof time === 'string' ? between(run.start_time, time) : null} />
            </td>
            <td>{typeof name === 'string' ? name : '–'}</td>
            <td>
              {Object.keys(more).length > 0 ? <JsonView value={more} label={`Event ${index + 1}`} /> : '–'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
