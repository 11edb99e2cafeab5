import type { GraphEngine, LangGraphModule } from './graph-engine.ts';
import { asGraph, cloneGraph, type GraphInstance } from './graph-instance.ts';
import type { GraphSchemas } from '../../graph-protocol/messages.ts';
import { isComplete, readSchemas, withSourceTypes } from './graph-schemas.ts';
import type { SourceSchemas } from '../source-schemas/source-schemas.ts';

export interface InstantiateOptions {
  /** The run's configuration (`configurable`, `metadata`, …), passed to factories. */
  config?: object;
  checkpointer?: object;
  store?: object;
}

type Factory = (config: object) => unknown;

export interface LoadedGraphOptions {
  graph_id: string;
  description?: string;
  engine: GraphEngine;
  /** A graph to copy, or a factory called per run. */
  source: GraphInstance | Factory;
  /** A graph for reading schemas; unset if a factory can't make one without a run. */
  sample: GraphInstance | undefined;
  /** Reads types from the graph's source; slow the first time. */
  readSource?: () => Promise<SourceSchemas>;
  warn: (message: string) => void;
}

/** A graph of the project; any number of runs can use it at once. */
export class LoadedGraph {
  readonly graph_id: string;
  readonly description: string | undefined;
  readonly isFactory: boolean;
  /** The graph's JSON schemas as known at run time; see `describe`. */
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
    // Functional graphs have no typed channels.
    const isFunctional = sample !== undefined && !sample.builder;
    this.#readSource = isFunctional ? undefined : readSource;
    this.#engine = engine;
    this.#source = source;
    this.#warn = warn;
    if (sample) this.#warnOfOwn(sample);
  }

  /** The engine this graph was made with, and its command classes. */
  get langgraph(): LangGraphModule {
    return this.#engine.langgraph;
  }

  get engine(): GraphEngine {
    return this.#engine;
  }

  /** The graph's JSON schemas, completed from its source. */
  async describe(): Promise<GraphSchemas> {
    if (!this.#readSource || isComplete(this.schemas)) return this.schemas;
    return withSourceTypes(this.schemas, await this.#readSource());
  }

  /** Schemas of the subgraph at a namespace (`child|grandchild`), completed from the graph's source. */
  async describeSubgraph(namespace: string, subgraph: GraphInstance): Promise<GraphSchemas> {
    const known = readSchemas(subgraph, this.#engine);
    if (!this.#readSource || !subgraph.builder || isComplete(known)) return known;
    const { subgraphs } = await this.#readSource();
    return withSourceTypes(known, subgraphs?.[namespace] ?? {});
  }

  /** A graph for one run or state operation. Throws NotAGraph and what a factory throws. */
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
