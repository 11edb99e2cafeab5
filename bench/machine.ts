import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem, type as system } from 'node:os';

const DEPENDENCIES = ['@langchain/langgraph', '@langchain/core', '@temporalio/worker', 'pg'];

export interface Machine {
  system: string;
  cpu: string;
  cores: number;
  memory_gb: number;
  /** Load average of the last minute before the benchmark; much above zero disturbs it. */
  load_before: number;
}

export const describeMachine = (): Machine => ({
  system: system(),
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memory_gb: Math.round(totalmem() / 2 ** 30),
  load_before: loadavg()[0] ?? 0,
});

/** Versions of the measured software. */
export async function readVersions(): Promise<Record<string, string>> {
  const version = async (packageFile: string): Promise<string> => {
    const url = new URL(packageFile, new URL('../', import.meta.url));
    return (JSON.parse(await readFile(url, 'utf8')) as { version: string }).version;
  };
  const versions: Record<string, string> = { slipway: await version('package.json') };
  for (const name of DEPENDENCIES) {
    versions[name] = await version(`node_modules/${name}/package.json`).catch(() => 'unknown');
  }
  return versions;
}
