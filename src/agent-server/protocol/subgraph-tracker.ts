import { isObject } from '../../platform/json-object.ts';
import { type Draft, type Fields } from './envelope.ts';

export type AgentStatus = 'running' | 'started' | 'completed' | 'failed' | 'interrupted';

/** A graph of the run and those it called (contract §15.3, `agent.getTree`). */
export interface AgentNode {
  namespace: string[];
  status: AgentStatus;
  graph_name: string;
  children: AgentNode[];
}

/** A task that is done, as the engine tells its parent. */
export interface TaskResult {
  /** Namespace of what the task executed. */
  place: string[];
  status: Extract<AgentStatus, 'completed' | 'failed' | 'interrupted'>;
  error?: string;
}

/** Reads a `tasks` event that tells of an end; undefined of others. */
export function taskResult(parent: string[], data: unknown): TaskResult | undefined {
  if (!isObject(data) || !('result' in data) || typeof data['id'] !== 'string') return undefined;
  const place = [...parent, `${String(data['name'])}:${data['id']}`];
  if (typeof data['error'] === 'string' && data['error'])
    return { place, status: 'failed', error: messageOf(data['error']) };
  const { interrupts } = data;
  return { place, status: Array.isArray(interrupts) && interrupts.length > 0 ? 'interrupted' : 'completed' };
}

/** Errors of tasks are told as JSON text. */
function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
}

/** Which subgraphs of a run have started and how they ended, told as lifecycle events. */
export class SubgraphTracker {
  readonly #root: AgentNode;
  readonly #known = new Map<string, AgentNode>();
  /** Tool calls by the task that executes them. */
  readonly #toolCalls = new Map<string, string>();

  constructor(graphName: string) {
    this.#root = { namespace: [], status: 'running', graph_name: graphName, children: [] };
  }

  get tree(): AgentNode {
    return this.#root;
  }

  set status(status: AgentStatus) {
    this.#root.status = status;
  }

  /** Whether a graph of the run is known to execute there. */
  has(namespace: string[]): boolean {
    return namespace.length === 0 || this.#known.has(namespace.join('|'));
  }

  noteTask(data: unknown): void {
    if (!isObject(data) || !isObject(data['input'])) return;
    const call = data['input']['tool_call'];
    if (isObject(call) && typeof call['id'] === 'string') this.#toolCalls.set(String(data['id']), call['id']);
  }

  /** Something happened at the namespace: it and those above have started. */
  reach(namespace: string[]): Draft[] {
    const drafts: Draft[] = [];
    let parent = this.#root;
    for (let length = 1; length <= namespace.length; length++) {
      const path = namespace.slice(0, length);
      let node = this.#known.get(path.join('|'));
      if (!node) {
        node = {
          namespace: path,
          status: 'started',
          graph_name: path.at(-1)!.split(':', 1)[0]!,
          children: [],
        };
        this.#known.set(path.join('|'), node);
        parent.children.push(node);
        drafts.push(lifecycle(node, this.#causeOf(path.at(-1)!)));
      }
      parent = node;
    }
    return drafts;
  }

  /** The task is done, and with it the subgraphs it executed: the innermost first. */
  end({ place, status, error }: TaskResult): Draft[] {
    return [...this.#known.values()]
      .filter(
        (node) => node.status === 'started' && place.every((part, index) => node.namespace[index] === part),
      )
      .sort((a, b) => b.namespace.length - a.namespace.length)
      .map((node) => {
        node.status = status;
        return lifecycle(node, error !== undefined ? { error } : {});
      });
  }

  #causeOf(segment: string): Fields {
    const task = segment.slice(segment.indexOf(':') + 1);
    const call = this.#toolCalls.get(task);
    return {
      ...(task !== segment && { trigger_call_id: task }),
      ...(call !== undefined && { cause: { type: 'toolCall', tool_call_id: call } }),
    };
  }
}

const lifecycle = ({ namespace, status, graph_name }: AgentNode, more: Fields): Draft => ({
  method: 'lifecycle',
  namespace,
  data: { event: status, graph_name, ...more },
  synthetic: `lifecycle|${namespace.join('|')}|${status}`,
});
