import type { Description, GraphDescription } from '../../graph-protocol/messages.ts';
import type { ProjectConfig } from '../../graph-protocol/project-schema.ts';
import { GraphNotFound } from '../errors.ts';
import type { ProjectFile } from '../project/project-config.ts';

/** An agent project, as described by its graph hosts. */
export interface AgentProject {
  /** Folder of the config file. */
  dir: string;
  config: ProjectConfig;
  graphs: ReadonlyMap<string, GraphDescription>;
  description: Description;
  /** Returns the graph with this name; throws GraphNotFound. */
  require(graphId: string): GraphDescription;
}

export function agentProject({ dir, config }: ProjectFile, description: Description): AgentProject {
  const graphs = new Map(
    Object.entries(description.graphs).map(([graph_id, graph]) => [graph_id, { graph_id, ...graph }]),
  );
  return {
    dir,
    config,
    graphs,
    description,
    require(graphId) {
      const graph = graphs.get(graphId);
      if (!graph) throw new GraphNotFound(graphId, [...graphs.keys()]);
      return graph;
    },
  };
}
