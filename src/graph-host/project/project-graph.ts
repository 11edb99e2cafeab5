import { dirname } from 'node:path';
import { loadEngine } from '../graphs/graph-engine.ts';
import { asGraph, type GraphInstance, NotAGraph } from '../graphs/graph-instance.ts';
import { LoadedGraph } from '../graphs/loaded-graph.ts';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import type { LoadRequest } from '../../graph-protocol/messages.ts';
import { type ExportReference, importExport, parseReference } from './project-import.ts';
import type { GraphSource, SourceSchemas } from '../source-schemas/source-schemas.ts';
import { describeThrown } from '../thrown.ts';
import { isTypeScript } from './typescript-modules.ts';

type ReadSource = () => Promise<SourceSchemas>;

export interface GraphEntry {
  path: string;
  description?: string;
}

/** Loads the graph of one config entry. Throws InvalidProject with one line. */
export async function loadGraph(
  { file, dir }: Pick<LoadRequest, 'dir' | 'file'>,
  graphId: string,
  { path, description }: GraphEntry,
  { warn, readSource }: { warn: (message: string) => void; readSource: (source: GraphSource) => ReadSource },
): Promise<LoadedGraph> {
  return blaming(`${file}: graphs.${graphId}`, async () => {
    const reference = parseReference(dir, path);
    const exported = await importExport(dir, reference);
    const source = isFactory(exported) ? exported : graphOf(reference, exported);
    const sample = typeof source === 'function' ? await trySample(graphId, reference, source, warn) : source;
    const engine = await loadEngine(dirname(reference.file), sample);
    return new LoadedGraph({
      graph_id: graphId,
      ...(description !== undefined && { description }),
      engine,
      source,
      sample,
      ...(isTypeScript(reference.file) && {
        readSource: readSource({ graph_id: graphId, file: reference.file, name: reference.name }),
      }),
      warn,
    });
  });
}

type Factory = (config: object) => unknown;

const isFactory = (value: unknown): value is Factory =>
  typeof value === 'function' && !/^class\b/.test(String(value));

function graphOf({ path, name }: ExportReference, value: unknown): GraphInstance {
  try {
    return asGraph(value);
  } catch (error) {
    if (error instanceof NotAGraph)
      throw new InvalidProject(`${path}: export '${name}' ${error.message}`, { cause: error });
    throw error;
  }
}

/** A factory may need values that only a run has; then the graph is served without schemas. */
async function trySample(
  graphId: string,
  reference: ExportReference,
  make: Factory,
  warn: (message: string) => void,
) {
  let made: unknown;
  try {
    made = await make({ configurable: {} });
  } catch (error) {
    const why = describeThrown(error);
    warn(`graph '${graphId}': its factory failed without a run, so it has no schemas: ${why}`);
    return undefined;
  }
  return graphOf(reference, made);
}

/** Prefixes the message of an InvalidProject with the part of the config file at fault. */
export async function blaming<Result>(subject: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidProject)
      throw new InvalidProject(`${subject}: ${error.message}`, { cause: error.cause });
    throw error;
  }
}
