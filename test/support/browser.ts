import { access } from 'node:fs/promises';
import { type Browser, chromium } from 'playwright-core';
import { installPackage } from './debian-package.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A real Chromium: this machine's, or Debian's, installed if allowed. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = (await findBrowser()) ?? (await installBrowser());
  // Chromium's sandbox does not work as root; the pages are ours.
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

async function installBrowser(): Promise<string> {
  try {
    await installPackage('chromium', 'command -v chromium');
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
