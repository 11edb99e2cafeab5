import { destination, isLoopback } from './destinations.ts';
import { type FenceRules, fenceRules } from './rules.ts';

const NETWORK = '198.19.254.0/24';
const ADDRESS = '198.19.254.100';
/** Maps to the machine's loopback if a destination there is allowed. */
export const MACHINE = '198.19.254.2';
const RESOLVER = '198.19.254.3';
const FOLDER = '/run/slipway-fence';
const NAMESPACE = `${FOLDER}/network`;

/** A program that relays a network namespace's traffic through sockets of the machine. */
export interface UserNetwork {
  program: string;
  /** Name of its Debian package. */
  package: string;
  command(options: { reachesLoopback: boolean }): string[];
}

export const SLIRP4NETNS: UserNetwork = {
  program: 'slirp4netns',
  package: 'slirp4netns',
  command: ({ reachesLoopback }) => [
    'slirp4netns',
    '--netns-type=path',
    '--configure',
    '--enable-sandbox',
    '--enable-seccomp',
    '--enable-ipv6',
    '--mtu=65520',
    `--cidr=${NETWORK}`,
    ...(reachesLoopback ? [] : ['--disable-host-loopback']),
    NAMESPACE,
    'tap0',
  ],
};

export const PASTA: UserNetwork = {
  program: 'pasta',
  package: 'passt',
  command: ({ reachesLoopback }) => [
    'pasta',
    '--foreground',
    '--quiet',
    '--config-net',
    '--netns-only',
    `--netns=${NAMESPACE}`,
    // Another user could not enter the namespace. pasta drops capabilities it does not need, and sees no files.
    '--runas=0:0',
    '--ns-ifname=tap0',
    '--mtu=65520',
    `--address=${ADDRESS}`,
    '--netmask=24',
    `--gateway=${MACHINE}`,
    `--dns-forward=${RESOLVER}`,
    '--tcp-ports=none',
    '--udp-ports=none',
    '--tcp-ns=none',
    '--udp-ns=none',
    '--no-dhcp',
    '--no-dhcpv6',
    '--no-ra',
    ...(reachesLoopback ? [] : ['--no-map-gw']),
  ],
};

// $1 is the fenced process, $2 its original namespace, the rest the program. Waits for the new namespace, then runs the
// program, and restarts it whenever it ends.
const KEEP = `set -e
mkdir -p ${FOLDER}
mount -t tmpfs -o mode=700,size=64k tmpfs ${FOLDER}
[ -e /dev/net/tun ] || {
  mkdir -p /dev/net
  mount -t tmpfs -o mode=755,size=4k tmpfs /dev/net
  mknod /dev/net/tun c 10 200
}
until now=$(readlink "/proc/$1/ns/net") && [ "$now" != "$2" ]; do
  [ -e "/proc/$1" ]
  sleep 0.01
done
: > ${NAMESPACE}
mount --bind "/proc/$1/ns/net" ${NAMESPACE}
shift 2
while :; do
  "$@" || :
  sleep 0.1
done`;

// Runs in the fence's namespaces, as root. $1 is the rules, $2 `yes` if the machine's loopback is reachable, the rest
// the command. The rules come first, so that nothing is sent before they apply.
const ENTER = `set -e
printf %s "$1" | nft -f -
mkdir -p ${FOLDER}
mount -t tmpfs -o mode=755,size=64k tmpfs ${FOLDER}
if [ -e /etc/resolv.conf ]; then
  { echo 'nameserver ${RESOLVER}'; grep -E '^(search|domain|options)' /etc/resolv.conf || :; } > ${FOLDER}/resolv.conf
  mount --bind ${FOLDER}/resolv.conf "$(readlink -f /etc/resolv.conf)"
fi
[ "$2" = no ] || echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet
is_up() {
  while read -r _ to _; do [ "$to" != 00000000 ] || return 0; done < /proc/self/net/route
  return 1
}
tries=0
until is_up; do
  tries=$((tries + 1))
  [ "$tries" -lt 250 ] || { echo 'The network of the fence did not come up' >&2; exit 1; }
  sleep 0.02
done
shift 2
exec "$@"`;

// $1 and $2 are the scripts above, $3 the rules, $4 ENTER's $2, $5 `yes` to show the program's messages, $6 the number
// of words in its command; the program's command and the fenced command follow. The program has its own session, so
// that signals to a process group don't end it before the command. Its processes die with their parent, however that
// ends, which requires a parent that stays root: unshare, which waits for the command.
const FENCE = `keep=$1 enter=$2 rules=$3 loopback=$4 verbose=$5 words=$6
shift 6
program=
while [ "$words" -gt 0 ]; do
  program="$program $1"
  words=$((words - 1))
  shift
done
{
  [ "$verbose" = yes ] || exec 2>/dev/null
  exec setsid setpriv --pdeathsig=KILL unshare --mount --pid --fork --kill-child=KILL -- \\
    /bin/sh -c "$keep" slipway-network "$$" "$(readlink /proc/self/ns/net)" $program
} </dev/null >/dev/null 3>&- &
exec unshare --net --mount --fork --kill-child=KILL -- /bin/sh -c "$enter" slipway-fence "$rules" "$loopback" "$@"`;

/** Prefix that runs a command as root in a network namespace, which the program connects to the Internet. */
export function userNetworkPrefix({ command }: UserNetwork, rules: FenceRules, verbose = false): string[] {
  const reachesLoopback = rules.allow.some(isLoopback);
  const resolvers = [destination(RESOLVER)];
  const table = fenceRules({ ...rules, table: 'slipway_fence', resolvers, machine: MACHINE });
  const words = command({ reachesLoopback });
  const about = [
    KEEP,
    ENTER,
    table,
    ...[reachesLoopback, verbose].map((is) => (is ? 'yes' : 'no')),
    String(words.length),
  ];
  return ['/bin/sh', '-c', FENCE, 'slipway-fence', ...about, ...words];
}
