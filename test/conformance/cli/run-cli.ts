import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export interface Said {
  code: number | null;
  /** Standard output and error, without colours. */
  text: string;
}

export interface CliOptions {
  /** Program and its leading arguments. */
  command: [program: string, ...first: string[]];
  /** Address of the control plane, with the path it is mounted at. */
  url: string;
  key: string;
}

export interface RunOptions {
  /** Ends the client once it has printed this. */
  until?: (text: string) => boolean;
  /** Called with all output so far, whenever there is more. */
  hears?: (text: string) => void;
  /** Files in its folder, by path. */
  files?: Record<string, string>;
  env?: Record<string, string>;
  patienceMs?: number;
}

const PATIENCE_MS = 200_000;

/**
 * Runs a client as a user would, in a folder with these files and without the developer's own
 * environment variables.
 */
export async function runCli(
  { command: [program, ...first], url, key }: CliOptions,
  args: string[],
  { until, hears, files = {}, env = {}, patienceMs = PATIENCE_MS }: RunOptions = {},
): Promise<Said> {
  const cwd = await mkdtemp(join(tmpdir(), 'slipway-cli-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const child = spawn(program, [...first, ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: cwd,
      LANGGRAPH_CLI_NO_ANALYTICS: '1',
      LANGGRAPH_HOST_URL: url,
      LANGGRAPH_HOST_API_KEY: key,
      NO_COLOR: '1',
      PYTHONUNBUFFERED: '1',
      COLUMNS: '300',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const patience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  let text = '';
  const note = (chunk: Buffer) => {
    text += stripVTControlCharacters(chunk.toString());
    hears?.(text);
    if (until?.(text)) child.kill('SIGINT');
  };
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(patience);
  await rm(cwd, { recursive: true, force: true });
  return { code, text };
}
