import { basename } from 'node:path';
import { readProjectConfig } from '../../src/agent-server/project/project-config.ts';
import { applyProjectEnv } from '../../src/agent-server/project/project-env.ts';
import { loadProject } from '../../src/graph-host/project/project.ts';

/** The probe's instructions, as JSON in its first argument. */
export interface ProbeRequest {
  folder: string;
  /** Inputs by graph id; those in a list run one after another on one thread. */
  inputs?: Record<string, unknown[]>;
  configurable?: Record<string, unknown>;
}

/** The probe's output. */
export interface ProbeResult {
  error?: string;
  warnings: string[];
  graphs: Record<
    string,
    { description?: string; isFactory: boolean; outputs: unknown[]; ownEngine: boolean }
  >;
  /** Names of the inputs of each graph. */
  inputs: Record<string, string[] | null>;
}

/** Loads the project and runs its graphs. */
async function probe({ folder, inputs = {}, configurable = {} }: ProbeRequest): Promise<ProbeResult> {
  const result: ProbeResult = { warnings: [], graphs: {}, inputs: {} };
  const warn = (line: string) => void result.warnings.push(line);
  const { file, dir, config } = readProjectConfig(folder);
  applyProjectEnv({ file, dir, config }, process.env, warn);
  const project = await loadProject({ dir, file: basename(file), config }, warn);
  for (const graph of project.graphs.values()) {
    const { graph_id, langgraph, description, isFactory } = graph;
    const checkpointer = new langgraph.MemorySaver();
    const store = new langgraph.InMemoryStore();
    const config = { configurable: { thread_id: graph_id, ...configurable } };
    const outputs: unknown[] = [];
    for (const input of inputs[graph_id] ?? []) {
      const instance = await graph.instantiate({ config, checkpointer, store });
      const { resume } = (input ?? {}) as { resume?: unknown };
      outputs.push(
        await instance.invoke(resume === undefined ? input : new langgraph.Command({ resume }), config),
      );
    }
    const { channels } = await graph.instantiate({ config });
    const ownEngine = Object.values(channels).some(
      (channel) => channel instanceof (langgraph.BaseChannel as any),
    );
    result.graphs[graph_id] = { ...(description && { description }), isFactory, outputs, ownEngine };
    const properties = graph.schemas.input_schema?.['properties'];
    result.inputs[graph_id] = properties ? Object.keys(properties) : null;
  }
  return result;
}

const result = await probe(JSON.parse(process.argv[2]!) as ProbeRequest).catch((error: Error) => ({
  error: error.message,
}));
process.stdout.write(`\n${JSON.stringify(result)}`);
