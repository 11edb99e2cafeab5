import type { ThreadState } from '@langchain/langgraph-sdk';
import { TimeText } from '../../parts/TimeText.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { CheckpointView } from './CheckpointView.tsx';
import classes from './HistoryPanel.module.css';
import type { Playground } from './use-playground.ts';

/** Checkpoints of the thread, newest first. The selected one is in the URL. */
export function HistoryPanel({ playground }: { playground: Playground }) {
  const { checkpoints, stream } = playground;
  const [search, setSearch] = useSearch();
  const chosen = search.get('checkpoint');
  const ofBranch = new Set(stream.history.map((state) => state.checkpoint?.checkpoint_id));
  const choose = (id: string): void =>
    setSearch(
      (before) => {
        if (id === chosen) before.delete('checkpoint');
        else before.set('checkpoint', id);
        return before;
      },
      { replace: true },
    );
  if (checkpoints.length === 0)
    return (
      <p className={classes.empty}>
        The state after each step appears here. You can rerun from it or edit it.
      </p>
    );
  return (
    <ol className={classes.list} aria-label="Checkpoints">
      {checkpoints.map((state) => {
        const id = state.checkpoint?.checkpoint_id ?? '';
        return (
          <li key={id} data-off={!ofBranch.has(id) || undefined}>
            <button
              type="button"
              className={classes.row}
              aria-expanded={id === chosen}
              onClick={() => choose(id)}
            >
              <span className={classes.step}>{stepOf(state)}</span>
              <span className={classes.next}>{nextOf(state)}</span>
              {!ofBranch.has(id) && <span className={classes.off}>other branch</span>}
              <span className={classes.time}>
                <TimeText at={state.created_at ?? null} />
              </span>
            </button>
            {id === chosen && <CheckpointView key={id} state={state} playground={playground} />}
          </li>
        );
      })}
    </ol>
  );
}

const SOURCES: Record<string, string> = { update: 'Changed', fork: 'Branch', input: 'Input' };

const stepOf = ({ metadata }: ThreadState): string => {
  const { step, source } = (metadata ?? {}) as { step?: number; source?: string };
  return SOURCES[source ?? ''] ?? `Step ${step ?? '?'}`;
};

const nextOf = ({ next, tasks }: ThreadState): string =>
  tasks.some(({ interrupts }) => interrupts.length > 0)
    ? `waiting in ${next.join(', ')}`
    : next.length > 0
      ? `then ${next.join(', ')}`
      : 'end';
