import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A real Chromium: the one of this machine, or Debian's, which is installed where that is allowed. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = (await findBrowser()) ?? (await installBrowser());
  // As root it has no sandbox of its own; the pages are ours.
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

async function findBrowser(): Promise<string | undefined> {
  for (const place of [process.env['CHROMIUM'] ?? '', ...PLACES]) {
    const isThere = await access(place).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** Once per machine: those who come later wait, and find it there. */
async function installBrowser(): Promise<string> {
  const script = `command -v chromium >/dev/null && exit
    command -v apt-get >/dev/null || { echo 'there is no apt-get' >&2; exit 1; }
    export DEBIAN_FRONTEND=noninteractive
    install='apt-get install -qq -y --no-install-recommends -o DPkg::Lock::Timeout=120 chromium'
    $install || { apt-get update -qq && $install; }`;
  try {
    const lock = join(tmpdir(), 'slipway-chromium-install.lock');
    await run('flock', [lock, '/bin/sh', '-c', script], { timeout: 300_000 });
  } catch (error) {
    throw new Error(
      'The console is tested in a browser: install Chromium, or name one in CHROMIUM. It is not on this machine, and `apt-get install chromium` did not work',
      { cause: error },
    );
  }
  const found = await findBrowser();
  if (!found) throw new Error('Chromium was installed, and is not where it is expected');
  return found;
}
