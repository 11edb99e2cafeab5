import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity, type ProcessRecord } from '../../../platform/embedded/process-identity.ts';
import { BECOME } from '../../../platform/export-script.ts';

export interface HeldCommand {
  command: string[];
  cwd: string;
  /** Shell lines that set its environment; they pass through a pipe, so that no list of processes shows them. */
  exports: string;
  /** A file descriptor that takes standard output and error. */
  output: number;
  /** Takes the exit code. */
  exitFile: string;
  /** A control group's file that takes the process id. */
  procs?: string | undefined;
}

/** A process that is there and does nothing until it is let go. */
export interface HeldProcess extends ProcessRecord {
  go(): void;
  /** Ends it before it has begun. */
  abandon(): void;
}

/** Leader of the group, as the platform's user, without the agent's environment: notes how the agent ended. */
const LEADER = `[ -z "$1" ] || echo $$ > "$1"
exit_file=$2
shift 2
trap : TERM INT HUP
"$@"
code=$?
echo "$code" > "$exit_file.new" && mv "$exit_file.new" "$exit_file"`;

/** Starts a process group that outlives us. Rejects when it cannot be spawned. */
export async function spawnHeld(options: HeldCommand): Promise<HeldProcess> {
  const { command, cwd, exports, output, exitFile, procs = '' } = options;
  // It waits for its environment. When we die before all is said, it ends.
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

/** Kills the group, if any, and whatever else is named; resolves when they are gone. Rejects when they do not go. */
export async function killGroup(
  record: ProcessRecord | undefined,
  others: () => Promise<number[]>,
): Promise<void> {
  for (const deadline = Date.now() + KILLED_MS; ; await sleep(POLL_MS)) {
    const isThere = record !== undefined && (await killOurs(record));
    const rest = (await others()).filter((pid) => pid !== record?.pid);
    for (const pid of rest) signal(pid, 'SIGKILL');
    if (rest.length === 0 && !isThere) return;
    // After a look: one that was late itself has not seen that they are gone.
    if (Date.now() > deadline)
      throw new Error(`Process group ${record?.pid ?? 'of an instance'} does not end`);
  }
}

/** True while there is somebody left to kill. */
async function killOurs({ pid, identity }: ProcessRecord): Promise<boolean> {
  const now = await processIdentity(pid);
  // While a group has members, nobody else gets its number; a leader that is another tells that it has none.
  if (now !== undefined && now !== identity) return false;
  signal(-pid, 'SIGKILL');
  return signal(-pid, 0);
}

/** Returns false when nobody was there. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
