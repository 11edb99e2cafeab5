import type { Browser } from 'playwright-core';
import { openBrowser } from '../../test/support/browser.ts';
import { until } from '../pacing.ts';
import { median } from '../statistics.ts';
import type { Platform, Values } from './figures.ts';

const ROUNDS = 9;
// Runs in the page from its start: records when the first field gets the focus.
const WATCH = `(() => {
  const look = () => {
    const field = document.querySelector('input:not([disabled])');
    field?.focus();
    if (field && document.activeElement === field) window.interactiveAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

/** Opens the console for the first time, in a browser that is already running. */
export async function measureConsole({ url }: Pick<Platform, 'url'>): Promise<Values> {
  const browser = await openBrowser();
  try {
    const loads = [];
    for (let round = 0; round < ROUNDS; round++) loads.push(await loadOnce(browser, url));
    return {
      interactive: median(loads.map(({ ms }) => ms)),
      firstPage: median(loads.map(({ bytes }) => bytes)) / 1024,
    };
  } finally {
    await browser.close();
  }
}

/** Loads the page in a window with an empty cache. */
async function loadOnce(browser: Browser, url: string): Promise<{ ms: number; bytes: number }> {
  const context = await browser.newContext();
  try {
    await context.addInitScript(WATCH);
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) =>
      sizes.push(
        request.sizes().then(
          ({ responseBodySize }) => responseBodySize,
          // The response came after the measurement, when the window was closed.
          () => 0,
        ),
      ),
    );
    await page.goto(url);
    let ms: number | undefined;
    await until('the console takes a key', 30_000, async () => {
      ms = await page.evaluate<number | undefined>('window.interactiveAt');
      return ms !== undefined;
    });
    return { ms: ms!, bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
  } finally {
    await context.close();
  }
}
