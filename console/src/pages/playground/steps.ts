/** A stream event about the start or end of a node (contract §6.3, `tasks`). */
export interface TaskEvent {
  id: string;
  name: string;
  error?: string | null;
  result?: unknown;
  interrupts?: unknown[];
  /** Server time in ms since 1970. */
  at?: number;
}

export interface Step {
  id: string;
  name: string;
  /** Enclosing subgraphs, outermost first. */
  path: string[];
  status: 'running' | 'success' | 'error' | 'interrupted';
  error: string | null;
  startedAt: number;
  endedAt: number | null;
}

/** Applies an event to the steps. */
export function applyTask(steps: Step[], event: TaskEvent, namespace: string[] | undefined): Step[] {
  const now = event.at ?? Date.now();
  const isEnd = 'result' in event || event.error !== undefined;
  const index = steps.findIndex(({ id }) => id === event.id);
  if (index < 0)
    return [
      ...steps,
      {
        id: event.id,
        name: event.name,
        path: (namespace ?? []).map((part) => part.split(':')[0]!),
        startedAt: now,
        ...(isEnd ? endOf(event, now) : { status: 'running', error: null, endedAt: null }),
      },
    ];
  return isEnd ? steps.with(index, { ...steps[index]!, ...endOf(event, now) }) : steps;
}

function endOf({ error, interrupts }: TaskEvent, now: number): Pick<Step, 'status' | 'error' | 'endedAt'> {
  const isInterrupted = (interrupts?.length ?? 0) > 0;
  return {
    status: error ? 'error' : isInterrupted ? 'interrupted' : 'success',
    error: error ?? null,
    endedAt: now,
  };
}

/** The graph node of a step: `parent:child`. */
export const nodeOf = ({ name, path }: Step): string => [...path, name].join(':');
