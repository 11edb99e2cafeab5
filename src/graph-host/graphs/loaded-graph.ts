import type { GraphEngine, LangGraphModule } from '../project/graph-engine.ts';
import { asGraph, cloneGraph, type GraphInstance } from './graph-instance.ts';
import type { GraphSchemas } from '../../graph-protocol/messages.ts';
import { readSchemas } from './graph-schemas.ts';

export interface InstantiateOptions {
  /** Configuration of the run (`configurable`, `metadata`, …); what a factory is called with. */
  config?: object;
  checkpointer?: object;
  store?: object;
}

type Factory = (config: object) => unknown;

export interface LoadedGraphOptions {
  graph_id: string;
  description?: string;
  engine: GraphEngine;
  /** A graph ready to copy, or what makes one per run. */
  source: GraphInstance | Factory;
  /** A graph of this source to read schemas off; none when a factory could not make one without a run. */
  sample: GraphInstance | undefined;
  warn: (message: string) => void;
}

/** A graph of the project, ready to be run any number of times at once. */
export class LoadedGraph {
  readonly graph_id: string;
  readonly description: string | undefined;
  readonly isFactory: boolean;
  /** JSON schemas of the graph, read once at start; null where the graph tells nothing. */
  readonly schemas: GraphSchemas;
  readonly #engine: GraphEngine;
  readonly #source: GraphInstance | Factory;
  readonly #warn: (message: string) => void;
  #warned = false;

  constructor({ graph_id, description, engine, source, sample, warn }: LoadedGraphOptions) {
    this.graph_id = graph_id;
    this.description = description ?? sample?.description;
    this.isFactory = typeof source === 'function';
    this.schemas = readSchemas(sample, engine);
    this.#engine = engine;
    this.#source = source;
    this.#warn = warn;
    if (sample) this.#warnOfOwn(sample);
  }

  /** The copy of the engine this graph was made with: the classes of commands sent to it. */
  get langgraph(): LangGraphModule {
    return this.#engine.langgraph;
  }

  get engine(): GraphEngine {
    return this.#engine;
  }

  /** A graph for one run, or for reading and writing state. Throws what a factory throws, or NotAGraph. */
  async instantiate({ config = {}, checkpointer, store }: InstantiateOptions): Promise<GraphInstance> {
    const source = this.#source;
    const graph =
      typeof source === 'function' ? asGraph(await source({ configurable: {}, ...config })) : source;
    if (this.isFactory) this.#warnOfOwn(graph);
    return cloneGraph(graph, { ...(checkpointer && { checkpointer }), ...(store && { store }) });
  }

  #warnOfOwn({ checkpointer, store }: GraphInstance): void {
    const own = [typeof checkpointer === 'object' && 'checkpointer', store && 'store'].filter(Boolean);
    if (this.#warned || own.length === 0) return;
    this.#warned = true;
    this.#warn(
      `graph '${this.graph_id}' was compiled with its own ${own.join(' and ')}; the server's is used instead`,
    );
  }
}
