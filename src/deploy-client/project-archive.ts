import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'tar';
import { leavesOf } from './ignored-files.ts';
import { Misused } from './outcome.ts';

export interface ProjectArchive {
  /** A .tar.gz with the same bytes for the same project on every machine. */
  content: Buffer;
  sha256: string;
  files: number;
  /** Links of the project, which archives must not contain. */
  links: string[];
}

/** The platform's default limit. */
const LARGEST_BYTES = 200 * 1024 * 1024;

/** Packs the project of a folder, without what its ignore files name. Throws Misused. */
export async function packProject(folder: string, limit = LARGEST_BYTES): Promise<ProjectArchive> {
  const { files, links } = await listProject(folder);
  if (files.length === 0) throw new Misused(`${folder}: nothing to deploy`);
  const pack = create(
    // tar would read a name that begins with @ as an archive.
    { cwd: folder, gzip: { level: 6 }, portable: true, noMtime: true, noDirRecurse: true },
    files.map((path) => `./${path}`),
  );
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of pack as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit)
      throw new Misused(
        `${folder}: the archive is larger than ${limit} bytes; list unneeded files in .dockerignore`,
      );
    chunks.push(chunk);
  }
  const content = Buffer.concat(chunks);
  return { content, sha256: createHash('sha256').update(content).digest('hex'), files: files.length, links };
}

/** Files and links of a project by path, without what its ignore files name. Throws Misused. */
export async function listProject(folder: string): Promise<{ files: string[]; links: string[] }> {
  const leaves = await leavesOf(folder);
  const found = { files: [] as string[], links: [] as string[] };
  const walk = async (within: string): Promise<void> => {
    const entries = await readdir(join(folder, within), { withFileTypes: true }).catch(() => {
      throw new Misused(`${join(folder, within)}: cannot read the folder`);
    });
    for (const entry of entries) {
      const path = within ? `${within}/${entry.name}` : entry.name;
      if (entry.isDirectory()) {
        if (!(await leaves.folder(path))) await walk(path);
      } else if (leaves.file(path)) continue;
      else if (entry.isSymbolicLink()) found.links.push(path);
      else if (entry.isFile()) found.files.push(path);
    }
  };
  await walk('');
  // By code units, so that the order does not depend on the locale.
  found.files.sort((a, b) => (a < b ? -1 : 1));
  return found;
}
