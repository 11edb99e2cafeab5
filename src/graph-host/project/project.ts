import { basename } from 'node:path';
import { GraphNotFound } from '../../agent-server/errors.ts';
import type { LangGraphModule } from './graph-engine.ts';
import type { LoadedGraph } from '../graphs/loaded-graph.ts';
import { InvalidProject, readProjectConfig } from '../../agent-server/project/project-config.ts';
import { applyProjectEnv } from '../../agent-server/project/project-env.ts';
import { blaming, loadGraph } from './project-graph.ts';
import { importExport, parseReference } from './project-import.ts';
import type { ProjectConfig } from '../../agent-server/project/project-schema.ts';

export type { LangGraphModule } from './graph-engine.ts';
export type { GraphInstance } from '../graphs/graph-instance.ts';

/** An agent project: its configuration and its graphs, loaded with the project's own packages. */
export interface Project {
  /** Folder of the config file: what `--watch` watches. */
  dir: string;
  config: ProjectConfig;
  graphs: ReadonlyMap<string, LoadedGraph>;
  /** The engine of the first graph. A graph made with another copy has its own in `LoadedGraph.langgraph`. */
  langgraph: LangGraphModule;
  /** The graph of that name; throws GraphNotFound. */
  require(graphId: string): LoadedGraph;
  /** What a `path:export` of another config key names (`auth.path`, `http.app`, …). Throws InvalidProject. */
  import(key: string, reference: string): Promise<unknown>;
}

export interface LoadProjectOptions {
  /** Where the project's `env` goes and is checked against; nothing of it is applied when absent. */
  env?: NodeJS.ProcessEnv;
  /** Told of what does not stop the start, one line each. */
  warn?: (message: string) => void;
}

/**
 * Loads the project of a config file (or of the folder that holds it): environment, graphs, schemas. Throws
 * InvalidProject with one line for each graph that cannot be served.
 */
export async function loadProject(folderOrFile: string, options: LoadProjectOptions = {}): Promise<Project> {
  const { warn = (message) => process.emitWarning(message), env } = options;
  const project = readProjectConfig(folderOrFile);
  const { dir, config, file } = project;
  if (env) applyProjectEnv(project, env, warn);
  const outcomes = await Promise.all(
    Object.entries(config.graphs).map(([graphId, entry]) =>
      loadGraph(project, graphId, typeof entry === 'string' ? { path: entry } : entry, warn).catch(asProblem),
    ),
  );
  const problems = outcomes.filter((outcome) => typeof outcome === 'string');
  if (problems.length > 0) throw new InvalidProject(problems.join('\n'));
  const loaded = outcomes.filter((outcome) => typeof outcome !== 'string');
  const graphs = new Map(loaded.map((graph) => [graph.graph_id, graph]));
  return {
    dir,
    config,
    graphs,
    langgraph: loaded[0]!.langgraph,
    require(graphId) {
      const graph = graphs.get(graphId);
      if (!graph) throw new GraphNotFound(graphId, [...graphs.keys()]);
      return graph;
    },
    import: (key, reference) =>
      blaming(`${basename(file)}: ${key}`, () => importExport(dir, parseReference(dir, reference))),
  };
}

function asProblem(error: unknown): string {
  if (error instanceof InvalidProject) return error.message;
  throw error;
}
