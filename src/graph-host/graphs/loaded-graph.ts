import type { GraphEngine, LangGraphModule } from '../project/graph-engine.ts';
import { asGraph, cloneGraph, type GraphInstance } from './graph-instance.ts';
import type { GraphSchemas } from '../../graph-protocol/messages.ts';
import { isComplete, readSchemas, withSourceTypes } from './graph-schemas.ts';
import type { SourceSchemas } from '../source-schemas/source-schemas.ts';

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
  /** Reads the types of the graph's source; slow the first time. */
  readSource?: () => Promise<SourceSchemas>;
  warn: (message: string) => void;
}

/** A graph of the project, ready to be run any number of times at once. */
export class LoadedGraph {
  readonly graph_id: string;
  readonly description: string | undefined;
  readonly isFactory: boolean;
  /** JSON schemas of the graph, as far as it knows them at run time; see `describe`. */
  readonly schemas: GraphSchemas;
  readonly #readSource: LoadedGraphOptions['readSource'];
  readonly #engine: GraphEngine;
  readonly #source: GraphInstance | Factory;
  readonly #warn: (message: string) => void;
  #warned = false;

  constructor({ graph_id, description, engine, source, sample, readSource, warn }: LoadedGraphOptions) {
    this.graph_id = graph_id;
    this.description = description ?? sample?.description;
    this.isFactory = typeof source === 'function';
    this.schemas = readSchemas(sample, engine);
    // A functional graph has no channels with types.
    const isFunctional = sample !== undefined && !sample.builder;
    this.#readSource = isFunctional || isComplete(this.schemas) ? undefined : readSource;
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

  /** JSON schemas of the graph, with the types of its source where it does not know them at run time. */
  async describe(): Promise<GraphSchemas> {
    return this.#readSource ? withSourceTypes(this.schemas, await this.#readSource()) : this.schemas;
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
