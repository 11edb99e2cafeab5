import { readFile } from 'node:fs/promises';
import { withDatabase } from './platform-database.ts';

/** Leaders of the process groups of a platform's agents. */
export async function findAgents(dataDir: string): Promise<number[]> {
  const { rows } = await withDatabase({ dataDir }, (db) =>
    db.query<{ pid: number }>('select pid from control_plane.instance where pid is not null'),
  );
  return rows.map(({ pid }) => pid);
}

/** Ends agents that outlived their platform because that did not shut down in time. */
export function endAgents(leaders: number[]): void {
  for (const pid of leaders)
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It had already ended.
    }
}

/** Reads a setting of this leader's agent. */
export async function settingOf(leader: number, name: string): Promise<string> {
  const child = (await readFile(`/proc/${leader}/task/${leader}/children`, 'utf8')).split(' ')[0];
  if (child) return settingOf(Number(child), name);
  const environment = (await readFile(`/proc/${leader}/environ`, 'utf8')).split('\0');
  const line = environment.find((one) => one.startsWith(`${name}=`));
  if (line === undefined) throw new Error(`The agent ${leader} has no ${name}`);
  return line.slice(name.length + 1);
}
