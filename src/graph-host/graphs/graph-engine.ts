import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Engine from '@langchain/langgraph';
import type * as EngineSchemas from '@langchain/langgraph/zod/schema';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';

/**
 * Module namespace of the project's own `@langchain/langgraph`, typed as in the newest release we support. Values built
 * from wire data are typed loosely, because the engine validates them.
 */
export type LangGraphModule = Omit<typeof Engine, 'Command' | 'Send'> & {
  Command: new (fields: object) => object;
  Send: new (node: string, args: unknown) => object;
};

/** The engine's functions that extract JSON schemas from a graph. */
export type SchemaModule = typeof EngineSchemas;

/** One copy of the engine. A project may load it as an ES module, as CommonJS, or both, with different classes. */
export interface GraphEngine {
  langgraph: LangGraphModule;
  schemas: SchemaModule;
}

const PACKAGE = '@langchain/langgraph';

/** The engine as resolved from `dir`, in the module format that `graph` was created with. */
export async function loadEngine(dir: string, graph?: { channels: object }): Promise<GraphEngine> {
  const root = findPackage(dir);
  const [esm, cjs] = [entries(root, 'import'), entries(root, 'require')];
  const require = createRequire(join(root, 'package.json'));
  // Read from the cache, because loading a second copy costs memory and a tenth of a second.
  const loaded = cjs && (require.cache[cjs.main]?.exports as LangGraphModule | undefined);
  if (cjs && (!esm || (loaded && graph && madeBy(loaded, graph)))) {
    return { langgraph: require(cjs.main) as LangGraphModule, schemas: require(cjs.schema) as SchemaModule };
  }
  if (!esm) throw new InvalidProject(`${PACKAGE} in ${root} has no entry point this server can load`);
  const [langgraph, schemas] = await Promise.all(
    [esm.main, esm.schema].map((file) => import(pathToFileURL(file).href)),
  );
  return { langgraph: langgraph as LangGraphModule, schemas: schemas as SchemaModule };
}

/**
 * Loads the engine as resolved from `dir`, in this module format. Ignores failures, which are reported when the engine
 * is needed.
 */
export async function loadEngineAhead(dir: string, format: 'import' | 'require'): Promise<void> {
  try {
    const root = findPackage(dir);
    const { main, schema } = entries(root, format)!;
    if (format === 'require') createRequire(main)(main);
    else await Promise.all([main, schema].map((file) => import(pathToFileURL(file).href)));
  } catch {}
}

function madeBy({ BaseChannel }: LangGraphModule, { channels }: { channels: object }): boolean {
  return Object.values(channels).some(
    (channel) => channel instanceof (BaseChannel as unknown as new () => object),
  );
}

/** Real path of the package, as Node finds it from `dir`. */
function findPackage(dir: string): string {
  for (let folder = dir; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', PACKAGE);
    if (statSync(join(candidate, 'package.json'), { throwIfNoEntry: false })) return realpathSync(candidate);
    if (folder === dirname(folder)) break;
  }
  throw new InvalidProject(
    `${PACKAGE} is not installed in ${dir}; the project brings its own: npm install ${PACKAGE} @langchain/core`,
  );
}

type Target = string | { [condition: string]: Target } | undefined;

function entries(
  root: string,
  condition: 'import' | 'require',
): { main: string; schema: string } | undefined {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, Target>;
  };
  const [main, schema] = ['.', './zod/schema'].map((path) =>
    fileFor(exports[path], ['node', condition, 'default']),
  );
  return main && schema ? { main: join(root, main), schema: join(root, schema) } : undefined;
}

/** Node's rule for conditional exports: the first matching condition, in the package's order. */
function fileFor(target: Target, conditions: string[]): string | undefined {
  if (typeof target !== 'object') return target;
  for (const [condition, nested] of Object.entries(target)) {
    const file = conditions.includes(condition) ? fileFor(nested, conditions) : undefined;
    if (file) return file;
  }
  return undefined;
}
