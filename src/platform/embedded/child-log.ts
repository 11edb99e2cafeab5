import { open, rename, stat } from 'node:fs/promises';

/** At startup, a log larger than this many bytes is rotated to `<name>.1`. */
const ROTATE_BYTES = 20 * 1024 * 1024;
const READ_BYTES = 16 * 1024;

export interface ChildLog {
  path: string;
  fd: number;
  /** Up to 16 KiB of output written since the log was opened. */
  text(): Promise<string>;
  /** The last line that mentions a failure, otherwise the last line. */
  reason(): Promise<string>;
  close(): Promise<void>;
}

/** Opens a log file for a child's output. Reads only what was written since. */
export async function openChildLog(path: string): Promise<ChildLog> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > ROTATE_BYTES) await rename(path, `${path}.1`);
  const file = await open(path, 'a+', 0o600);
  const start = (await file.stat()).size;
  const text = async () => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, start);
    return buffer.toString('utf8', 0, bytesRead);
  };
  return {
    path,
    fd: file.fd,
    text,
    async reason() {
      const lines = (await text()).trim().split('\n');
      const failure = lines.findLast((line) => /fatal|panic|error|not found|denied|cannot/i.test(line));
      return (failure ?? lines.at(-1) ?? '').trim() || 'no output';
    },
    close: () => file.close(),
  };
}
