import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = '/sys/fs/cgroup';
const MB = 1024 * 1024;

/** The control group of an instance, with a subgroup and limit for its server and for each graph host. */
export interface MemoryGroup {
  /** A process that writes its id to this file joins the server's group, with its children. */
  procs: string;
  /** Prefix of a graph host's command that gives it its own group, limited to this many MB. */
  hostPrefix(megabytes: number): string[];
  /** Whether the system has killed a process of the instance at a limit. */
  ranOut(): Promise<boolean>;
  pids(): Promise<number[]>;
  /** Removes the group; it must have no processes left. */
  remove(): Promise<void>;
}

const SERVER = 'server';

// $1 is the process that must still be the parent, the rest the command: one that died before setpriv ran sends no
// signal.
const WITH_PARENT = `[ "$PPID" = "$1" ] || exit 125
shift
exec "$@"`;

// $1 is the instance's group, $2 bytes, $3 the limit's file, $4 the events' file, $5 the script above, the rest the
// command. Removes groups of earlier hosts only now, because they record how those ended.
const LIMITED = `for old in "$1"/host-*; do
  [ -e "/proc/\${old##*-}" ] || rmdir "$old" 2>/dev/null
done
group=$1/host-$$ bytes=$2 events=$4 check=$5
mkdir "$group" && echo "$bytes" > "$group/$3" || exit 125
shift 5
/bin/sh -c 'echo $$ > "$0/cgroup.procs" && exec setpriv --pdeathsig=KILL -- "$@"' "$group" \\
  /bin/sh -c "$check" slipway-limit "$$" "$@"
code=$?
! grep -q 'oom_kill [1-9]' "$group/$events" || echo "A graph host ran out of its $((bytes / ${MB})) MB of memory" >&2
exit $code`;

/** Creates a group whose server is limited to this many MB; undefined if this machine does not allow it. */
export async function makeMemoryGroup(name: string, megabytes: number): Promise<MemoryGroup | undefined> {
  const group = await openMemoryGroup(name);
  const version = await findVersion();
  if (!group || !version) return undefined;
  const path = join(version.base, name);
  try {
    await mkdir(path, { recursive: true });
    if (version.delegates) await writeFile(join(path, DELEGATION), '+memory');
    await mkdir(join(path, SERVER), { recursive: true });
    await writeFile(join(path, SERVER, version.limit), String(megabytes * MB));
    return group;
  } catch {
    await group.remove();
    return undefined;
  }
}

/** Opens the group that an earlier process may have created. */
export async function openMemoryGroup(name: string): Promise<MemoryGroup | undefined> {
  const version = await findVersion();
  if (!version) return undefined;
  const path = join(version.base, name);
  const members = async () => {
    const found = await readdir(path, { withFileTypes: true }).catch(() => []);
    return found.filter((entry) => entry.isDirectory()).map((entry) => join(path, entry.name));
  };
  const readAll = async (file: string): Promise<string[]> =>
    Promise.all((await members()).map((member) => readFile(join(member, file), 'utf8').catch(() => '')));
  return {
    procs: join(path, SERVER, 'cgroup.procs'),
    hostPrefix: (megabytes) => [
      '/bin/sh',
      '-c',
      LIMITED,
      'slipway-limit',
      path,
      String(megabytes * MB),
      version.limit,
      version.events,
      WITH_PARENT,
    ],
    ranOut: async () => (await readAll(version.events)).some((events) => /oom_kill [1-9]/.test(events)),
    pids: async () =>
      (await readAll('cgroup.procs')).flatMap((pids) => pids.split('\n').filter(Boolean).map(Number)),
    async remove() {
      for (const folder of [...(await members()), path]) await rmdir(folder).catch(() => {});
    },
  };
}

interface Version {
  base: string;
  limit: string;
  events: string;
  /** Whether controllers must be delegated to subgroups. */
  delegates: boolean;
}

const DELEGATION = 'cgroup.subtree_control';

let found: Promise<Version | undefined> | undefined;
const findVersion = () => (found ??= lookForVersion().catch(() => undefined));

async function lookForVersion(): Promise<Version> {
  const groups = await readFile('/proc/self/cgroup', 'utf8');
  const own = /^\d+:memory:(.*)$/m.exec(groups)?.[1];
  if (own !== undefined) {
    const base = join(ROOT, 'memory', own, 'slipway');
    await mkdir(base, { recursive: true });
    return { base, limit: 'memory.limit_in_bytes', events: 'memory.oom_control', delegates: false };
  }
  const base = join(ROOT, 'slipway');
  await mkdir(base, { recursive: true });
  for (const parent of [ROOT, base]) await writeFile(join(parent, DELEGATION), '+memory');
  return { base, limit: 'memory.max', events: 'memory.events', delegates: true };
}
