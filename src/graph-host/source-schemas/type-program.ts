import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript-5';
import type { GraphSource, GraphSourceSchemas, SourceSchemas } from './source-schemas.ts';
import { findSubgraphs, type SubgraphSource } from './subgraph-sources.ts';
import { TypeSchemas } from './type-schema.ts';

// Larger than any real source. Reading a file takes memory outside the heap, beyond its limit.
const MAX_FILE_BYTES = 4 << 20;

/** Type checks the sources and yields each graph's schemas. Skips graphs that can't be read. */
export function* readSources(sources: GraphSource[]): Generator<[graphId: string, schemas: SourceSchemas]> {
  const graphs = sources.map((source, index) => ({
    graph_id: source.graph_id,
    probe: join(dirname(source.file), `__slipway_schemas_${index}.mts`),
    source,
    subgraphs: subgraphsOf(source),
  }));
  const files = new Map<string, string>();
  for (const { probe, source, subgraphs } of graphs) {
    files.set(probe, probeFor(source, `typeof MODULE[${JSON.stringify(source.name)}]`));
    for (const { variable } of subgraphs)
      files.set(probeOf(probe, variable), probeFor(source, `MODULE.${typeNameOf(variable)}`));
    const names = [...new Set(subgraphs.map(({ variable }) => variable))];
    if (names.length === 0) continue;
    const text = files.get(source.file) ?? ts.sys.readFile(source.file)!;
    const types = names.map((name) => `export type ${typeNameOf(name)} = typeof ${name};`);
    files.set(source.file, [text, ...types.filter((type) => !text.includes(type))].join('\n'));
  }
  const options = compilerOptions(sources[0]!.file);
  const probes = [...files.keys()].filter((file) => !sources.some((source) => source.file === file));
  const program = ts.createProgram(probes, options, hostWith(files, options));
  const read = (probe: string) => readProbe(program, program.getSourceFile(probe)!);
  for (const { graph_id, probe, subgraphs } of graphs) {
    try {
      const found: Record<string, GraphSourceSchemas> = {};
      for (const { namespace, variable } of subgraphs) {
        const schemas = found[namespace] ? {} : read(probeOf(probe, variable));
        if (Object.keys(schemas).length > 0) found[namespace] = schemas;
      }
      yield [graph_id, { ...read(probe), ...(Object.keys(found).length > 0 && { subgraphs: found }) }];
    } catch {}
  }
}

function subgraphsOf({ file, name }: GraphSource): SubgraphSource[] {
  const text = isReadable(file) ? ts.sys.readFile(file) : undefined;
  if (text === undefined) return [];
  try {
    return findSubgraphs(ts.createSourceFile(file, text, ts.ScriptTarget.ESNext), name);
  } catch {
    // Nested too deeply for the stack.
    return [];
  }
}

/** Subgraphs need not be exported, so the module gets a type of each. */
const typeNameOf = (variable: string): string => `__slipway_${variable}`;

const probeOf = (probe: string, variable: string): string => probe.replace('.mts', `_${variable}.mts`);

function readProbe(program: ts.Program, file: ts.SourceFile): GraphSourceSchemas {
  const checker = program.getTypeChecker();
  const converter = new TypeSchemas(program);
  const parts = checker
    .getExportsOfModule(checker.getSymbolAtLocation(file)!)
    .map((part) => [part.name, converter.ofChannels(checker.getDeclaredTypeOfSymbol(part))] as const);
  return Object.fromEntries(parts.filter(([, properties]) => Object.keys(properties).length > 0));
}

/** A module whose exported types are those of a graph's channels. `MODULE` in the graph's type is its module. */
const probeFor = ({ file }: GraphSource, type: string): string => `
import type { StateDefinition, StateType, UpdateType } from '@langchain/langgraph';
type Exported = ${type.replace('MODULE', () => `import(${JSON.stringify(`./${basename(file)}`)})`)};
type Made<T> = T extends (...args: any[]) => infer R ? Awaited<R> : Awaited<T>;
type BuilderOf<T> = T extends { _inputDefinition: unknown } ? T
  : T extends { builder: infer B } ? B
  : T extends { graph: { builder: infer B } } ? B
  : never;
type Builder = BuilderOf<Made<Exported>>;
export type input = Builder extends { _inputDefinition: infer D extends StateDefinition } ? UpdateType<D> : {};
export type output = Builder extends { _outputDefinition: infer D extends StateDefinition } ? StateType<D> : {};
export type state = Builder extends { nodes: Record<any, { runnable: { invoke(input: infer S, ...rest: any[]): any } }> } ? S : {};
export type config = Builder extends { _configSchema: infer D } ? UpdateType<Exclude<D, undefined>> : {};
`;

/** The project's own options for module resolution; the rest is fixed, so that strictness can't fail a project. */
function compilerOptions(file: string): ts.CompilerOptions {
  const path = ts.findConfigFile(dirname(file), ts.sys.fileExists);
  const read = path === undefined ? undefined : ts.readConfigFile(path, ts.sys.readFile);
  const own = read?.config
    ? ts.parseJsonConfigFileContent({ ...read.config, files: [], include: [] }, ts.sys, dirname(path!))
        .options
    : {};
  return {
    ...own,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    composite: false,
    incremental: false,
    lib: ['lib.esnext.d.ts'],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  };
}

function isReadable(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= MAX_FILE_BYTES;
}

function hostWith(probes: Map<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const readFile = (file: string) => probes.get(file) ?? (isReadable(file) ? host.readFile(file) : undefined);
  return {
    ...host,
    fileExists: (file) => probes.has(file) || isReadable(file),
    readFile,
    getSourceFile: (file, languageVersion) => {
      const text = readFile(file);
      return text === undefined ? undefined : ts.createSourceFile(file, text, languageVersion);
    },
  };
}
