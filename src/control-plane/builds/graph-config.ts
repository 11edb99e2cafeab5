import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { type Language, languageOf } from '../../graph-protocol/language.ts';
import { BuildFailed } from '../errors.ts';

/** The configuration file of a project, as far as a build must know it. */
export interface GraphConfig {
  /** Path within the project. */
  path: string;
  /** Its folder within the project. */
  dir: string;
  /** What it holds, not checked. */
  settings: Record<string, unknown>;
  /** Languages of all it names. */
  languages: ReadonlySet<Language>;
}

const NAMES = ['graph.json', 'langgraph.json'];
const IMAGE_KEYS = ['dockerfile_lines', 'base_image', 'docker_compose_file'];
const LARGEST_BYTES = 16 * 1_048_576;

/** The file named, else `graph.json`, else `langgraph.json`. Throws BuildFailed when this server cannot run it. */
export async function findGraphConfig(source: string, named: unknown): Promise<GraphConfig> {
  const path = await locate(source, named);
  const text = await readProjectFile(source, path);
  let config: (Record<string, unknown> & { graphs?: Record<string, unknown> }) | null;
  try {
    config = JSON.parse((text ?? '').replace(/^\uFEFF/, '')) as typeof config;
  } catch {
    throw new BuildFailed(`${path} is not valid JSON`);
  }
  const graphs = Object.entries(config?.graphs ?? {});
  if (graphs.length === 0) throw new BuildFailed(`${path} has no graphs`);
  const settings = config ?? {};
  refuseImageKeys(path, settings);
  return { path, dir: dirname(path), settings, languages: new Set(referencesOf(settings).map(languageOf)) };
}

/** Every `path:export`: of the graphs, and of what serves them. */
function referencesOf(settings: Record<string, unknown>): string[] {
  const { graphs, auth, encryption, http, store } = settings as Record<
    string,
    Record<string, unknown> | null
  >;
  const index = store?.['index'] as Record<string, unknown> | undefined;
  const graphReferences = Object.values(graphs ?? {}).map((entry) =>
    typeof entry === 'string' ? entry : (entry as { path?: unknown } | null)?.path,
  );
  const embed = index?.['embed'];
  return [
    ...graphReferences,
    ...[auth, encryption, store].map((section) => section?.['path']),
    http?.['app'],
    // `openai:model` names no code.
    typeof embed === 'string' && embed.includes('.py') ? embed : undefined,
  ].filter((reference) => typeof reference === 'string');
}

/** Whether the configuration names authentication of the project's own. */
export async function hasOwnAuth(source: string, { path }: Pick<GraphConfig, 'path'>): Promise<boolean> {
  const text = await readProjectFile(source, path);
  try {
    const { auth } = JSON.parse((text ?? '').replace(/^\uFEFF/, '')) as { auth?: { path?: unknown } | null };
    return typeof auth?.path === 'string';
  } catch {
    return false;
  }
}

/** Throws BuildFailed for what only an image of the project's own can have. */
function refuseImageKeys(path: string, config: Record<string, unknown>): void {
  const asked = IMAGE_KEYS.find((key) => !isEmpty(config[key]));
  if (asked)
    throw new BuildFailed(
      `${path}: ${asked} is not supported in builds on the platform: build an image yourself and deploy it (slipway deploy --image, with the docker or kubernetes driver), or remove ${asked}`,
    );
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

async function locate(source: string, named: unknown): Promise<string> {
  if (typeof named === 'string' && named !== '') {
    const path = normalize(named);
    if (path.startsWith('/') || path.split(sep).includes('..') || path.includes('\0'))
      throw new BuildFailed(`graph_config_path '${named}' is not within the project`);
    if ((await readProjectFile(source, path)) === undefined)
      throw new BuildFailed(`The project has no ${path} (graph_config_path)`);
    return path;
  }
  for (const name of NAMES) if ((await readProjectFile(source, name)) !== undefined) return name;
  throw new BuildFailed(`There is no ${NAMES.join(' and no ')} in the project; set graph_config_path`);
}

/**
 * Text of a file of the project; undefined when there is none, or a link is on the way to it. Throws BuildFailed for one
 * that is too large to be read whole.
 */
export async function readProjectFile(source: string, path: string): Promise<string | undefined> {
  const parts = normalize(path).split(sep);
  for (let count = 1; count < parts.length; count++) {
    const folder = await lstat(join(source, ...parts.slice(0, count))).catch(() => undefined);
    if (!folder?.isDirectory()) return undefined;
  }
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(source, path), flags).catch(() => undefined);
  try {
    const stats = await file?.stat();
    if (!file || !stats?.isFile()) return undefined;
    if (stats.size > LARGEST_BYTES)
      throw new BuildFailed(`${path} is ${stats.size} bytes large; ${LARGEST_BYTES} are read`);
    return await file.readFile('utf8');
  } finally {
    await file?.close();
  }
}
