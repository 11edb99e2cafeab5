import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import classes from './RunEvents.module.css';
import { useRunEvents } from './use-run-events.ts';

const LATEST = 200;

/** What a run streams, newest first; each opens. */
export function RunEvents({
  deploymentId,
  threadId,
  runId,
  isLive,
}: {
  deploymentId: string;
  threadId: string;
  runId: string;
  isLive: boolean;
}) {
  const { events, isOpen, error } = useRunEvents(deploymentId, threadId, runId);
  if (error) return <ErrorNotice error={error} title="Its events cannot be read" />;
  if (events.length === 0)
    return (
      <p className={classes.note}>
        {isOpen && isLive
          ? 'Waiting for its next event …'
          : 'None are kept: events of a run that can be joined again are there for two minutes after its end. What it did is in its trace, and in the history of the thread.'}
      </p>
    );
  return (
    <>
      <p className={classes.note} role="status">
        {events.length} events{isOpen && isLive && ' · live'}
        {events.length > LATEST && `, the latest ${LATEST} are shown`}
      </p>
      <div className={classes.events} role="region" aria-label="Events" tabIndex={0}>
        {events
          .slice(-LATEST)
          .toReversed()
          .map(({ id, name, data }) => (
            <details key={id} className={classes.event}>
              <summary>
                <span className={classes.name}>{name}</span>
                <span className={classes.brief}>{JSON.stringify(data).slice(0, 120)}</span>
              </summary>
              <JsonView value={data} label={`Event ${name}`} />
            </details>
          ))}
      </div>
    </>
  );
}
