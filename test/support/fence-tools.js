import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const INSTALL = `command -v slirp4netns && command -v nft && exit
export DEBIAN_FRONTEND=noninteractive
install='apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 slirp4netns nftables'
$install || { apt-get update -qq && $install; }`;

/**
 * Installs what fences agents off, where root and apt allow it: before any platform starts, because without it one
 * with several tenants does not.
 */
export async function installFenceTools() {
  if (process.platform !== 'linux' || process.getuid() !== 0) return;
  await promisify(execFile)('/bin/sh', ['-c', INSTALL], { timeout: 300_000 }).catch((error) =>
    console.warn(`tests run without the network fence: ${error.message}`),
  );
}
