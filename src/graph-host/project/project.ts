import type { LoadedGraph } from '../graphs/loaded-graph.ts';
import type { LoadRequest } from '../../graph-protocol/messages.ts';
import { loadAll } from './load-all.ts';
import { blaming, loadGraph } from './project-graph.ts';
import { importExport, parseReference } from './project-import.ts';
import { ProjectSources } from '../source-schemas/project-sources.ts';
import type { GraphSource } from '../source-schemas/source-schemas.ts';
import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';

/** An agent project: its configuration, and its graphs, loaded with the project's own packages. */
export interface Project {
  dir: string;
  config: ProjectConfig;
  graphs: ReadonlyMap<string, LoadedGraph>;
  /** Returns the graph with this name; throws if there is none. */
  require(graphId: string): LoadedGraph;
  /** Imports the `path:export` of another config key (`auth.path`, `http.app`, …). Throws InvalidProject. */
  import(key: string, reference: string): Promise<unknown>;
}

/** Loads a project's graphs. Throws InvalidProject with a line for each that cannot be served. */
export async function loadProject(request: LoadRequest, warn: (message: string) => void): Promise<Project> {
  const { dir, file, config } = request;
  const sources = new ProjectSources(warn);
  const context = { warn, readSource: (source: GraphSource) => sources.add(source) };
  const loaded = await loadAll(
    Object.entries(config.graphs).map(([graphId, entry]) =>
      loadGraph({ dir, file }, graphId, typeof entry === 'string' ? { path: entry } : entry, context),
    ),
  );
  const graphs = new Map(loaded.map((graph) => [graph.graph_id, graph]));
  return {
    dir,
    config,
    graphs,
    require(graphId) {
      const graph = graphs.get(graphId);
      if (!graph) throw new Error(`No graph '${graphId}'`);
      return graph;
    },
    import: importer(request),
  };
}

/** Imports exports that config keys refer to. */
export const importer =
  ({ dir, file }: LoadRequest): Project['import'] =>
  (key, reference) =>
    blaming(`${file}: ${key}`, () => importExport(dir, parseReference(dir, reference)));
