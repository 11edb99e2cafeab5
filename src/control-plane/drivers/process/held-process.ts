import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity, type ProcessRecord } from '../../../platform/embedded/process-identity.ts';
import { BECOME } from '../../../platform/export-script.ts';

export interface HeldCommand {
  command: string[];
  cwd: string;
  /** Shell lines that set its environment; sent through a pipe, so that process listings don't show them. */
  exports: string;
  /** File descriptor for standard output and error. */
  output: number;
  /** File for the exit code. */
  exitFile: string;
  /** The `cgroup.procs` file of the control group to join. */
  procs?: string | undefined;
}

/** A process that does nothing until it is released. */
export interface HeldProcess extends ProcessRecord {
  go(): void;
  /** Ends it before it starts. */
  abandon(): void;
}

/** The group's leader: runs as the platform's user, without the agent's environment, and records the exit code. */
const LEADER = `[ -z "$1" ] || echo $$ > "$1"
exit_file=$2
shift 2
trap : TERM INT HUP
"$@"
code=$?
echo "$code" > "$exit_file.new" && mv "$exit_file.new" "$exit_file"`;

/** Starts a process group that outlives this process. Rejects if it cannot be spawned. */
export async function spawnHeld(options: HeldCommand): Promise<HeldProcess> {
  const { command, cwd, exports, output, exitFile, procs = '' } = options;
  // Waits for its environment, and ends if this process dies before sending all of it.
  const inner = ['/bin/sh', '-c', BECOME, 'slipway-agent', ...command];
  const child: ChildProcess = spawn(
    '/bin/sh',
    ['-c', LEADER, 'slipway-instance', procs, exitFile, ...inner],
    {
      cwd,
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
      detached: true,
      stdio: ['pipe', output, output],
    },
  );
  await once(child, 'spawn');
  child.stdin!.on('error', () => {});
  child.unref();
  const pid = child.pid!;
  return {
    pid,
    identity: (await processIdentity(pid)) ?? '',
    go: () => child.stdin!.end(exports),
    abandon: () => child.stdin!.destroy(),
  };
}

/** Asks every process of the group to finish. */
export const endGroup = ({ pid }: ProcessRecord): boolean => signal(-pid, 'SIGTERM');

const POLL_MS = 25;
const KILLED_MS = 5_000;

/** Kills the group, if any, and the other processes named, and waits until they are gone. Rejects on a timeout. */
export async function killGroup(
  record: ProcessRecord | undefined,
  others: () => Promise<number[]>,
): Promise<void> {
  for (const deadline = Date.now() + KILLED_MS; ; await sleep(POLL_MS)) {
    const isThere = record !== undefined && (await killOurs(record));
    const rest = (await others()).filter((pid) => pid !== record?.pid);
    for (const pid of rest) signal(pid, 'SIGKILL');
    if (rest.length === 0 && !isThere) return;
    // Checked after looking, because this process may itself have been delayed.
    if (Date.now() > deadline)
      throw new Error(`Process group ${record?.pid ?? 'of an instance'} did not end`);
  }
}

/** True while a process of the group is left. */
async function killOurs({ pid, identity }: ProcessRecord): Promise<boolean> {
  const now = await processIdentity(pid);
  // A pid is not reused while its process group has members, so another process with this pid means the group is gone.
  if (now !== undefined && now !== identity) return false;
  signal(-pid, 'SIGKILL');
  return signal(-pid, 0);
}

/** Returns false if there is no such process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
