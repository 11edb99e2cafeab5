import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript-5';
import type { GraphSource, SourceSchemas } from './source-schemas.ts';
import { TypeSchemas } from './type-schema.ts';

// Larger than any real source. Reading a file takes memory outside the heap, beyond its limit.
const MAX_FILE_BYTES = 4 << 20;

/** Type checks the sources and yields each graph's schemas. Skips graphs that can't be read. */
export function* readSources(sources: GraphSource[]): Generator<[graphId: string, schemas: SourceSchemas]> {
  const probes = new Map(
    sources.map((source, index) => [
      join(dirname(source.file), `__slipway_schemas_${index}.mts`),
      probeFor(source),
    ]),
  );
  const options = compilerOptions(sources[0]!.file);
  const program = ts.createProgram([...probes.keys()], options, hostWith(probes, options));
  for (const [index, file] of [...probes.keys()].entries()) {
    try {
      yield [sources[index]!.graph_id, readProbe(program, program.getSourceFile(file)!)];
    } catch {}
  }
}

function readProbe(program: ts.Program, file: ts.SourceFile): SourceSchemas {
  const checker = program.getTypeChecker();
  const converter = new TypeSchemas(program);
  const parts = checker
    .getExportsOfModule(checker.getSymbolAtLocation(file)!)
    .map((part) => [part.name, converter.ofChannels(checker.getDeclaredTypeOfSymbol(part))] as const);
  return Object.fromEntries(parts.filter(([, properties]) => Object.keys(properties).length > 0));
}

/** A module that exports the types of the graph's channels. */
const probeFor = ({ file, name }: GraphSource): string => `
import type { StateDefinition, StateType, UpdateType } from '@langchain/langgraph';
type Exported = (typeof import(${JSON.stringify(`./${basename(file)}`)}))[${JSON.stringify(name)}];
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

function hostWith(probes: Map<string, string>, options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const isReadable = (file: string) => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size <= MAX_FILE_BYTES;
  };
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
