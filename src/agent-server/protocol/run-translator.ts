import { isObject } from '../../platform/json-object.ts';
import { type Draft, type Fields } from './envelope.ts';
import { MessageEvents, placeOf } from './message-events.ts';
import { checkpointData, interruptsIn, stateValues, updateDrafts } from './state-events.ts';
import { type AgentNode, SubgraphTracker, taskResult } from './subgraph-tracker.ts';
import { toolData } from './tool-events.ts';

export interface TranslatedRun {
  graph_id: string;
  /** Include the run's checkpoints. */
  checkpoints: boolean;
}

/**
 * Translates a run's log to protocol events. The same log always yields the same events, no matter where or how often
 * it is read. Feed it every event of the run, starting with the first.
 */
export class RunTranslator {
  readonly #graphName: string;
  readonly #pairs: boolean;
  readonly #subgraphs: SubgraphTracker;
  readonly #messages = new MessageEvents();
  /** Interrupts by id, emitted only when the run ends because they can't be answered earlier. */
  readonly #open = new Map<string, Draft>();
  /** The engine emits a state before its checkpoint; readers want the reverse order. */
  #held: { draft: Draft; namespace: string } | undefined;
  #checkpoint: string | undefined;
  #started = false;
  #ended = false;

  constructor({ graph_id, checkpoints }: TranslatedRun) {
    this.#graphName = graph_id;
    this.#pairs = checkpoints;
    this.#subgraphs = new SubgraphTracker(graph_id);
  }

  get tree(): AgentNode {
    return this.#subgraphs.tree;
  }

  get started(): boolean {
    return this.#started;
  }

  /** @param id Id of the source event. */
  translate(name: string, text: string, id: string): Draft[] {
    const [mode = '', ...namespace] = name.split('|');
    if (mode === 'metadata') return this.#start();
    // A run whose start is missing can't be translated.
    if (!this.#started && mode !== 'error') return [];
    const data: unknown = JSON.parse(text);
    if (mode === 'error') return this.finish('failed', (data as { message?: string }).message);
    const held = mode === 'checkpoints' ? this.#release(namespace) : { before: this.#release(), after: [] };
    return [...held.before, ...this.#translate(mode, namespace, data, id), ...held.after];
  }

  /** Ends the run. */
  finish(status: 'completed' | 'failed' | 'interrupted', error?: string): Draft[] {
    if (this.#ended) return [];
    const held = this.#release();
    // A node that interrupts itself has no result, but what it wrote before is complete.
    const isWhole = status === 'completed' || (status === 'interrupted' && this.#open.size > 0);
    const open = isWhole
      ? this.#messages.endAll()
      : this.#messages.abandon('The run ended before the message');
    this.#ended = true;
    this.#subgraphs.status = status;
    return [
      ...held,
      ...open,
      ...(status === 'interrupted' ? this.#open.values() : []),
      ...this.#subgraphs.end({ place: [], status }),
      this.#lifecycle(status, {
        ...(error && { error }),
        ...(this.#checkpoint && { checkpoint: { id: this.#checkpoint } }),
      }),
    ];
  }

  #start(): Draft[] {
    // A later attempt continues from the last checkpoint and repeats the messages the earlier one was streaming.
    if (this.#started) return [...this.#release(), ...this.#messages.abandon('The run was taken up again')];
    this.#started = true;
    return [this.#lifecycle('running', {})];
  }

  #translate(mode: string, namespace: string[], data: unknown, id: string): Draft[] {
    if (mode === 'messages') return this.#message(namespace, data, id);
    if (mode === 'tools') {
      const tool = toolData(data);
      return tool ? this.#tool(namespace, tool) : [];
    }
    const reached = this.#subgraphs.reach(namespace);
    switch (mode) {
      case 'values': {
        const values = stateValues(data);
        const drafts: Draft[] = values === undefined ? [] : [{ method: 'values', namespace, data: values }];
        if (drafts[0] && this.#pairs)
          this.#held = { draft: { ...drafts.pop()!, source: id }, namespace: namespace.join('|') };
        this.#noteInterrupts(namespace, data);
        return [...reached, ...drafts];
      }
      case 'updates':
        this.#noteInterrupts(namespace, data);
        return [...reached, ...updateDrafts(namespace, data)];
      case 'checkpoints': {
        const checkpoint = checkpointData(data);
        if (!checkpoint) return reached;
        if (namespace.length === 0) this.#checkpoint = checkpoint.id;
        return [...reached, { method: 'checkpoints', namespace, data: checkpoint }];
      }
      case 'tasks':
        return [...reached, ...this.#task(namespace, data)];
      case 'custom':
        return [...reached, { method: 'custom', namespace, data: customData(data) }];
      default:
        return [];
    }
  }

  /** Until 1.7 the engine sent tools under the namespace of the node's task; since then, under the graph's. */
  #tool(namespace: string[], data: Fields): Draft[] {
    if (this.#subgraphs.has(namespace)) return [{ method: 'tools', namespace, data }];
    const graph = namespace.slice(0, -1);
    const node = namespace.at(-1)!.split(':', 1)[0];
    return [...this.#subgraphs.reach(graph), { method: 'tools', namespace: graph, node, data }];
  }

  #message(namespace: string[], data: unknown, id: string): Draft[] {
    if (isObject(data) && typeof data['event'] === 'string') return this.#transformed(namespace, data);
    // Other forms of the mode duplicate this one.
    if (!Array.isArray(data) || !isObject(data[0]) || !isObject(data[1])) return [];
    const place = placeOf(namespace, data[1]);
    const drafts = this.#messages.add(data[0], data[1], place, `message-${id}`);
    return [...this.#subgraphs.reach(place.namespace), ...drafts];
  }

  /** Graphs with stream transformers already send messages in the protocol's format. */
  #transformed(namespace: string[], { langgraph_node: node, ...data }: Fields): Draft[] {
    const draft: Draft = { method: 'messages', namespace, data };
    return [...this.#subgraphs.reach(namespace), typeof node === 'string' ? { ...draft, node } : draft];
  }

  #task(namespace: string[], data: unknown): Draft[] {
    const draft: Draft = { method: 'tasks', namespace, data };
    const result = taskResult(namespace, data);
    if (!result) {
      this.#subgraphs.noteTask(data);
      return [draft];
    }
    return [...this.#messages.endAt(result.place.at(-1)!), draft, ...this.#subgraphs.end(result)];
  }

  /** Records each interrupt once, however many graphs it passes through. */
  #noteInterrupts(namespace: string[], data: unknown): void {
    for (const { id, value } of interruptsIn(data)) {
      if (this.#open.has(id)) continue;
      this.#open.set(id, {
        method: 'input.requested',
        namespace,
        data: { interrupt_id: id, payload: value ?? null },
        synthetic: `input|${namespace.join('|')}|${id}`,
      });
    }
  }

  #lifecycle(event: 'running' | 'completed' | 'failed' | 'interrupted', more: Fields): Draft {
    return {
      method: 'lifecycle',
      namespace: [],
      data: { event, graph_name: this.#graphName, ...more },
      synthetic: `lifecycle||${event}`,
    };
  }

  #release(): Draft[];
  #release(checkpointOf: string[]): { before: Draft[]; after: Draft[] };
  #release(checkpointOf?: string[]): Draft[] | { before: Draft[]; after: Draft[] } {
    const held = this.#held;
    this.#held = undefined;
    const drafts = held ? [held.draft] : [];
    if (!checkpointOf) return drafts;
    return held?.namespace === checkpointOf.join('|')
      ? { before: [], after: drafts }
      : { before: drafts, after: [] };
  }
}

/** Sends a node's output as the payload; a named value reaches subscribers to that name both whole and as a payload. */
function customData(data: unknown): Fields {
  if (!isObject(data) || typeof data['name'] !== 'string') return { payload: data };
  const { name: _name, ...payload } = data;
  return 'payload' in data ? data : { ...data, payload };
}
