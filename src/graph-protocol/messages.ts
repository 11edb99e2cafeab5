import type { WireCheckpoint, WireUnit } from './checkpoint-wire.ts';
import type { ProjectConfig } from './project-schema.ts';

/** Calls between agent server and graph host (docs/contracts/graph-host.md). */

export type Json = Record<string, unknown>;
export type JsonSchema = Record<string, unknown>;

/** JSON schemas of a graph (contract §3.2); null where it has none. */
export interface GraphSchemas {
  input_schema: JsonSchema | null;
  output_schema: JsonSchema | null;
  state_schema: JsonSchema | null;
  config_schema: JsonSchema | null;
  context_schema: JsonSchema | null;
}

export interface LoadRequest {
  /** Folder of the configuration file; every path in it is relative to it. */
  dir: string;
  /** Name of the configuration file, for messages. */
  file: string;
  config: ProjectConfig;
}

/** The project of a container, as `slipway host` answers `project`. */
export interface ContainerProject extends LoadRequest {
  /** Its LANGGRAPH_CONFIG, which the server reads. */
  assistants?: string | undefined;
}

export interface GraphDescription {
  graph_id: string;
  description?: string | undefined;
  is_factory: boolean;
  schemas: GraphSchemas;
}

/** What a host has found in its project. */
export interface Description {
  language: 'javascript' | 'python';
  graphs: Record<string, Omit<GraphDescription, 'graph_id'>>;
  auth: { events: string[] } | null;
  http: boolean;
  /** The application may have WebSocket routes. */
  websockets: boolean;
  encryption: { json: boolean; blob: boolean; context: boolean } | null;
  embed: boolean;
  store: boolean;
  warnings: string[];
}

export interface RunnableConfig {
  configurable: Json;
  context?: Json | undefined;
  metadata?: Json | undefined;
  tags?: string[] | undefined;
  recursion_limit?: number | undefined;
}

export interface Command {
  update?: unknown;
  resume?: unknown;
  goto?: unknown;
}

export interface RunRequest {
  graph_id: string;
  run_id: string;
  thread_id: string;
  assistant_id: string;
  /** An earlier attempt may have left checkpoints. */
  resume: boolean;
  input: unknown;
  command: Command | null;
  config: RunnableConfig;
  stream_mode: string[];
  subgraphs: boolean;
  interrupt_before: '*' | string[] | null;
  interrupt_after: '*' | string[] | null;
  durability: 'sync' | 'async' | 'exit';
  user: User | undefined;
  /** How long a cancelled run's nodes are waited for, in milliseconds. */
  leave_ms: number;
  /** The thread's latest checkpoint, null if it has none. If absent, the host requests it. */
  checkpoint?: WireCheckpoint | null | undefined;
  /** The server stores the units of the result together with the run's outcome. */
  takes_units?: boolean | undefined;
}

/** The part of a graph's latest checkpoint that the thread record shows. */
export interface StateSummary {
  /** Null if there is no state yet. */
  values: Json | null;
  /** The run's output, where an output schema makes it a part of the state. */
  output?: Json;
  /** Task id to its open interrupts. */
  interrupts: Record<string, { id?: string; value: unknown }[]>;
  /** The same as in the run's result, if the engine's form has more fields. */
  open?: Json[];
  /** The graph stopped before its end: a node would run next, or an interrupt is open. */
  waiting: boolean;
}

/** Result of `run`. */
export interface RunAnswer extends StateSummary {
  /** Checkpoints and writes that the host did not store. */
  units?: WireUnit[];
}

export interface StatePoint {
  checkpoint_ns?: string | undefined;
  checkpoint_id?: string | undefined;
  checkpoint_map?: Json | null | undefined;
}

/** A graph of a thread's state: `config.configurable` names the thread. */
export interface StateRequest {
  graph_id: string;
  config: RunnableConfig;
  /** None: the latest. */
  point?: StatePoint | null | undefined;
}

export interface HistoryRequest extends StateRequest {
  limit: number;
  before?: StatePoint | null | undefined;
  filter?: Json | null | undefined;
}

export interface StateWrite {
  values?: unknown;
  as_node?: string | undefined;
  command?: Command | undefined;
}

export interface UpdateRequest extends StateRequest {
  supersteps: StateWrite[][];
}

export interface UpdateResult {
  configurable: Json;
  /** The thread state after it, in wire form. */
  state: Json;
  summary: StateSummary;
}

/** `false`, `true`, or how many levels of subgraphs to open. */
export type Xray = boolean | number;

/** A user as the project's `authenticate` named it; fields beyond these are the project's own. */
export interface User extends Json {
  identity: string;
  display_name: string;
  is_authenticated: boolean;
  permissions: string[];
}

export interface HttpHead {
  method: string;
  url: string;
  headers: [name: string, value: string][];
}

export interface AuthorizeRequest {
  event: string;
  resource: string;
  action: string;
  value: object;
  permissions: string[];
  user: object;
}

/** Context of an encryption handler. `metadata` is not secret: it is stored with what was encrypted. */
export interface EncryptionContext {
  /** `thread`, `assistant`, `run`, `cron`, `store`, `checkpoint`. */
  model: string | null;
  /** `metadata`, `values`, `kwargs`, … */
  field: string | null;
  metadata: Json;
}

export interface HttpRequest extends HttpHead {
  user: User | undefined;
  /** Ask `admit` between the application's middleware and its first route. */
  admit: boolean;
  /** The path belongs to the server; the application's middleware only watches. */
  watch: boolean;
}

export interface WebSocketRequest extends HttpHead {
  user: User | undefined;
  admit: boolean;
}

/** First byte of a message to the application, as in RFC 6455. */
export const WebSocketMessage = { text: 1, binary: 2, close: 8 } as const;

export interface HttpAnswer {
  status?: number;
  headers: [name: string, value: string][];
  /** The application has let the request through. */
  passed_on?: boolean;
  /** Its middleware has read or changed the body; what the route is to read follows. */
  body?: boolean;
}

export interface Vectors {
  vectors: (readonly number[])[];
}
