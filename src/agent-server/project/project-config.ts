import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { TRUSTED_SCHEMAS } from '../../platform/trusted-schemas.ts';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import { IMAGE_GRAPHS, readImageConfig } from './image-config.ts';
import { ProjectConfig } from '../../graph-protocol/project-schema.ts';

export interface ProjectFile {
  /** Absolute path of the config file; for an image without one, its folder joined with the variable's name. */
  file: string;
  /** The file's folder; every path in the file is relative to it. */
  dir: string;
  config: ProjectConfig;
}

const NAMES = ['graph.json', 'langgraph.json'];

/** Checks what the config contains: compiling the rest would take a tenth of each start. */
function validatorOf(config: unknown): ValidateFunction<ProjectConfig> {
  const isNamed = ([name]: [string, unknown]) => Object.hasOwn(Object(config), name);
  const properties = Object.fromEntries(Object.entries(ProjectConfig.properties).filter(isNamed));
  // A union reports the errors of all its branches; `describe` picks the most helpful one.
  return new Ajv({ ...TRUSTED_SCHEMAS, allErrors: true, verbose: true })
    .addFormat('regex', isRegex)
    .compile<ProjectConfig>({ ...ProjectConfig, properties });
}

function isRegex(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/**
 * Reads and validates an agent project's config file: the given file, or the folder's `graph.json` or
 * `langgraph.json`, or the image's environment. A platform that reads an untrusted project rejects links that leave
 * its folder. Throws InvalidProject.
 */
export function readProjectConfig(folderOrFile: string, env: NodeJS.ProcessEnv = process.env): ProjectFile {
  const path = resolve(folderOrFile);
  const found = findConfigFile(path);
  if (found && env['SLIPWAY_PROJECT_ENV'] !== undefined) refuseLinkOut(found);
  const config = found ? parse(readFileSync(found, 'utf8'), basename(found)) : readImageConfig(env, parse);
  if (config === undefined)
    throw new InvalidProject(
      `${path}: no ${NAMES.join(' and no ')} here; name your graphs in one, or point --config at it`,
    );
  return checkProject(found ?? join(path, IMAGE_GRAPHS), config);
}

/** Validates `config` as the content of the project's config file. Throws InvalidProject. */
export function checkProject(file: string, config: unknown): ProjectFile {
  const validate = validatorOf(config);
  if (!validate(config)) throw new InvalidProject(`${basename(file)}: ${describe(validate.errors ?? [])}`);
  refuseCheckpointer(basename(file), config);
  return { file, dir: dirname(file), config };
}

/** Checkpoints stay behind the fence of their run. */
function refuseCheckpointer(
  where: string,
  { checkpointer: { path, backend = 'default' } = {} }: ProjectConfig,
): void {
  const names = [path !== undefined && 'path', backend !== 'default' && 'backend'].filter(Boolean);
  const lines = names.map(
    (name) =>
      `${where}: checkpointer.${name} is not supported, because checkpoints are stored in the server's Postgres; remove it`,
  );
  if (lines.length > 0) throw new InvalidProject(lines.join('\n'));
}

function refuseLinkOut(file: string): void {
  const within = realpathSync(dirname(file));
  if (dirname(realpathSync(file)) !== within)
    throw new InvalidProject(`${basename(file)}: points outside its folder`);
}

/** Undefined if the folder has none. */
function findConfigFile(path: string): string | undefined {
  const kind = statSync(path, { throwIfNoEntry: false });
  if (kind?.isFile()) return path;
  if (!kind) throw new InvalidProject(`${path}: no such file or folder`);
  return NAMES.map((name) => join(path, name)).find((file) =>
    statSync(file, { throwIfNoEntry: false })?.isFile(),
  );
}

function parse(text: string, where: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new InvalidProject(`${where}: not valid JSON: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** Picks the deepest error, preferring the branch that accepts the value's type: that's the one the user meant. */
function describe(errors: ErrorObject[]): string {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split('/').length;
  const deepest = Math.max(...errors.map(depth));
  const candidates = errors.filter((error) => depth(error) === deepest && error.keyword !== 'anyOf');
  const shown = candidates.find(({ keyword }) => keyword !== 'type') ?? candidates[0] ?? errors[0]!;
  const { instancePath, keyword, params, message = keyword, data } = shown;
  const place = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/');
  if (keyword === 'required')
    return `${place && `${place}.`}${(params as { missingProperty: string }).missingProperty} is missing`;
  const subject = place || 'the file';
  if (keyword === 'enum')
    return `${subject} must be ${orList((params as { allowedValues: string[] }).allowedValues)}`;
  if (keyword !== 'type') return `${subject} ${message}`;
  const types = candidates
    .filter((error) => error.instancePath === instancePath)
    .map((error) => typeParam(error));
  return `${subject} must be ${orList(types)}, not ${kindOf(data)}`;
}

const typeParam = ({ params }: ErrorObject): string => String((params as { type?: string }).type);

const orList = (items: string[]): string => [...new Set(items)].join(' or ');

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
