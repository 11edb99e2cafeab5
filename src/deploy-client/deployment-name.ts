import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Misused } from './outcome.ts';

const LONGEST = 63;

/** Converts a name to lower-case letters, digits and hyphens, as other clients do. Throws Misused. */
export function normalizeName(name: string): string {
  const normal = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  if (!normal) throw new Misused(`'${name}' cannot be a deployment's name; set one with --name`);
  return normal;
}

/**
 * The deployment's name: as given, from package.json, or the folder's name. A preview is a separate
 * deployment, `<name>-<preview>`.
 */
export async function nameOf({
  name,
  folder,
  preview,
}: {
  name?: string | undefined;
  folder: string;
  preview?: string | undefined;
}): Promise<string> {
  const whole = normalizeName(name ?? (await packageName(folder)) ?? basename(resolve(folder)));
  if (!preview) return whole;
  const suffix = normalizeName(preview);
  return `${whole.slice(0, LONGEST - suffix.length - 1).replace(/-+$/, '')}-${suffix}`;
}

async function packageName(folder: string): Promise<string | undefined> {
  try {
    const { name } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { name?: unknown };
    return typeof name === 'string' ? name.replace(/^@[^/]+\//, '') || undefined : undefined;
  } catch {
    return undefined;
  }
}
