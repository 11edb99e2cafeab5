import type { RunEvent } from '../events/event-frame.ts';
import { formatEventId } from '../events/event-id.ts';
import { type Draft, type Envelope, seqAt } from './envelope.ts';
import type { AgentNode } from './subgraph-tracker.ts';
import { RunTranslator, type TranslatedRun } from './run-translator.ts';

export interface KnownRun extends TranslatedRun {
  run_id: string;
  /** Current status; undefined when the run is gone. */
  status: string | undefined;
}

interface Numbered {
  translator: RunTranslator;
  next: number;
}

const OUTCOMES: Record<string, 'completed' | 'failed'> = {
  success: 'completed',
  error: 'failed',
  timeout: 'failed',
};

/** Translates a thread's log to its protocol stream, and gives each event its position there. */
export class ThreadTranslator {
  readonly #runs = new Map<string, Numbered>();
  /** The run being translated. */
  #current: Numbered | undefined;

  /** Events derived from one source event; `run` holds what we know about its run. */
  translate(run: KnownRun, event: RunEvent): Envelope[] {
    const entry = this.#entry(run);
    const { translator } = entry;
    const id = formatEventId(event.id);
    const fresh = !translator.started;
    const drafts =
      event.event === 'run_done'
        ? translator.finish(OUTCOMES[run.status ?? ''] ?? 'interrupted')
        : translator.translate(event.event, event.data, id);
    if (fresh && translator.started) {
      entry.next = seqAt(event.id.ms);
      this.#current = entry;
    }
    let made = 0;
    const durable = () => (made++ === 0 ? id : `${id}.${made - 1}`);
    const numbered = drafts.map((draft) => ({
      type: 'event' as const,
      event_id: draft.synthetic ? `synth:${run.run_id}:${draft.synthetic}` : (draft.source ?? durable()),
      seq: translator.started ? entry.next++ : this.#aside(event.id.ms),
      method: draft.method,
      params: paramsOf(draft, event.id.ms),
    }));
    if (event.event === 'run_done') {
      this.#runs.delete(run.run_id);
      if (this.#current === entry) this.#current = undefined;
    }
    return numbered;
  }

  /** The graphs of an active run. */
  treeOf(runId: string): AgentNode | undefined {
    return this.#runs.get(runId)?.translator.tree;
  }

  #entry({ run_id, ...run }: KnownRun): Numbered {
    const known = this.#runs.get(run_id);
    if (known) return known;
    const entry = { translator: new RunTranslator(run), next: 0 };
    this.#runs.set(run_id, entry);
    return entry;
  }

  /**
   * Position for the end of a run that never started. It uses up no `seq` of the current run, since it may be deleted
   * sooner.
   */
  #aside(ms: number): number {
    return this.#current ? this.#current.next - 1 : seqAt(ms);
  }
}

const paramsOf = ({ namespace, node, data }: Draft, timestamp: number): Envelope['params'] => ({
  namespace,
  timestamp,
  ...(node !== undefined && { node }),
  data,
});
