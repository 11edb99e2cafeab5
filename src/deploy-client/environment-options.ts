import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { Misused } from './outcome.ts';

export interface EnvironmentOptions {
  envFile?: string[];
  env?: string[];
  secret?: string[];
}

export interface Variable {
  name: string;
  value: string;
}

/**
 * The whole environment of a revision: files, then `--env NAME=VALUE`, then `--secret NAME`, whose value comes from this
 * process's environment, so that no command line shows it. Undefined without any of them: the revision then inherits the
 * environment of the previous one. Throws Misused.
 */
export async function readEnvironment(
  { envFile, env, secret }: EnvironmentOptions,
  own: NodeJS.ProcessEnv,
): Promise<Variable[] | undefined> {
  if (!envFile && !env && !secret) return undefined;
  const values = new Map<string, string>();
  for (const file of envFile ?? []) {
    const text = await readFile(file, 'utf8').catch(() => {
      throw new Misused(`--env-file ${file}: cannot read the file`);
    });
    for (const [name, value] of Object.entries(parseEnv(text))) values.set(name, String(value));
  }
  for (const given of env ?? []) {
    const at = given.indexOf('=');
    if (at < 1) throw new Misused(`--env ${given}: must be NAME=VALUE`);
    values.set(given.slice(0, at), given.slice(at + 1));
  }
  for (const given of secret ?? []) {
    const [name = '', from = name] = given.split('=');
    const value = own[from];
    if (!value) throw new Misused(`--secret ${name}: ${from} is not set in the local environment`);
    values.set(name, value);
  }
  return Array.from(values, ([name, value]) => ({ name, value }));
}
