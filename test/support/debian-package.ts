import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Installs a Debian package where that is allowed, unless the shell command finds it: once per machine, others
 * wait. Rejects with the output of apt-get.
 */
export async function installPackage(name: string, isThere = 'false'): Promise<void> {
  const script = `${isThere} >/dev/null && exit
    command -v apt-get >/dev/null || { echo 'there is no apt-get' >&2; exit 1; }
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    install='apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 ${name}'
    $install || { apt-get update -qq && $install; }`;
  const lock = join(tmpdir(), `slipway-${name}-install.lock`);
  await run('flock', [lock, '/bin/sh', '-c', script], { timeout: 300_000 });
}
