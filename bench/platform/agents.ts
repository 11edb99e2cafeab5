import { withDatabase } from './platform-database.ts';

/** Leaders of the groups of processes that agents of a platform run in. */
export async function findAgents(dataDir: string): Promise<number[]> {
  const { rows } = await withDatabase({ dataDir }, (db) =>
    db.query<{ pid: number }>('select pid from control_plane.instance where pid is not null'),
  );
  return rows.map(({ pid }) => pid);
}

/** What outlived its platform, because that did not end in time, does not outlive the benchmark. */
export function endAgents(leaders: number[]): void {
  for (const pid of leaders)
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended with its platform.
    }
}
