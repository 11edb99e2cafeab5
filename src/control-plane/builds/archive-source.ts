import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type ReadEntry } from 'tar';
import { BuildFailed } from '../errors.ts';

const MOST_ENTRIES = 100_000;
const LONGEST_PATH = 1_024;
const TAKEN = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory', 'GNUDumpDir']);

/**
 * Unpacks an uploaded `.tar.gz` into `source` of a work folder. Throws BuildFailed for a truncated archive, more than
 * `limit` bytes, or paths and file types a project has no use for.
 */
export async function unpackArchive(
  archive: string,
  { work, limit, signal }: { work: string; limit: number; signal: AbortSignal },
): Promise<void> {
  const source = join(work, 'source');
  await mkdir(source, { recursive: true });
  let entries = 0;
  let refusal: Error | undefined;
  const unpack = extract({
    cwd: source,
    strict: true,
    noMtime: true,
    preserveOwner: false,
    filter(path, entry) {
      if (++entries > MOST_ENTRIES)
        refusal ??= new BuildFailed(`The archive contains more than ${MOST_ENTRIES} files`);
      refusal ??= refuseEntry(path, entry as ReadEntry);
      return !refusal;
    },
  });
  try {
    await pipeline(
      createReadStream(archive),
      createGunzip(),
      atMost(limit, () => refusal),
      unpack,
      { signal },
    );
  } catch (error) {
    signal.throwIfAborted();
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (error instanceof BuildFailed || refusal) throw refusal ?? error;
    if (/^(Z_|TAR_)/.test(code) || /unexpected end|invalid/i.test(message))
      throw new BuildFailed('The archive is not a complete .tar.gz file');
    throw error;
  }
  if (refusal) throw refusal;
  if (entries === 0) throw new BuildFailed('The archive is empty');
}

function refuseEntry(path: string, { type }: Pick<ReadEntry, 'type'>): Error | undefined {
  const shown = path.slice(0, 200);
  if (path.startsWith('/') || path.includes('\\') || /^[a-z]:/i.test(path))
    return new BuildFailed(`The archive contains '${shown}': paths must be within the project`);
  if (path.split('/').includes('..'))
    return new BuildFailed(`The archive contains '${shown}': a path must not leave the project`);
  if (path.length > LONGEST_PATH || path.includes('\0'))
    return new BuildFailed(`The archive contains a path that is too long: '${shown}'`);
  if (!TAKEN.has(type))
    return new BuildFailed(`The archive contains '${shown}', a ${type}: only files and folders are allowed`);
  return undefined;
}

/** Counts uncompressed bytes, because a small archive may unpack to a huge project. */
function atMost(limit: number, refused: () => Error | undefined): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      const tooLarge =
        size > limit ? new BuildFailed(`The archive unpacks to more than ${limit} bytes`) : undefined;
      const error = refused() ?? tooLarge;
      if (error) done(error);
      else done(null, chunk);
    },
  });
}
