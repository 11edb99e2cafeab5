import { isObject } from '../../platform/json-object.ts';
import { type Draft, type Fields } from './envelope.ts';

export type AgentStatus = 'running' | 'started' | 'completed' | 'failed' | 'interrupted';

/** A graph of the run and its subgraphs (contract §15.3, `agent.getTree`). */
export interface AgentNode {
  namespace: string[];
  status: AgentStatus;
  graph_name: string;
  children: AgentNode[];
}

/** A finished task, as the engine reports it to the parent. */
export interface TaskResult {
  /** Namespace of the task's execution. */
  place: string[];
  status: Extract<AgentStatus, 'completed' | 'failed' | 'interrupted'>;
  error?: string;
}

/** Reads a `tasks` event for a finished task; undefined for any other. */
export function taskResult(parent: string[], data: unknown): TaskResult | undefined {
  if (!isObject(data) || !('result' in data) || typeof data['id'] !== 'string') return undefined;
  const place = [...parent, `${String(data['name'])}:${data['id']}`];
  if (typeof data['error'] === 'string' && data['error'])
    return { place, status: 'failed', error: messageOf(data['error']) };
  const { interrupts } = data;
  return { place, status: Array.isArray(interrupts) && interrupts.length > 0 ? 'interrupted' : 'completed' };
}

/** The engine reports task errors as JSON text. */
function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
}

/** Tracks which subgraphs of a run have started and how they ended, as lifecycle events. */
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

  /** Whether a graph of the run executes in this namespace. */
  has(namespace: string[]): boolean {
    return namespace.length === 0 || this.#known.has(namespace.join('|'));
  }

  noteTask(data: unknown): void {
    if (!isObject(data) || !isObject(data['input'])) return;
    const call = data['input']['tool_call'];
    if (isObject(call) && typeof call['id'] === 'string') this.#toolCalls.set(String(data['id']), call['id']);
  }

  /** Marks the namespace and its ancestors as started. */
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

  /** Ends a finished task's subgraphs, innermost first. */
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
