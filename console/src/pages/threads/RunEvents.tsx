import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import classes from './RunEvents.module.css';
import { useRunEvents } from './use-run-events.ts';

const LATEST = 200;

/** Stream events of a run, newest first. */
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
  if (error) return <ErrorNotice error={error} title="Could not load events" />;
  if (events.length === 0)
    return (
      <p className={classes.note}>
        {isOpen && isLive
          ? 'Waiting for events …'
          : 'No events stored. Resumable runs keep events for two minutes after their end. See the trace or the thread history instead.'}
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
