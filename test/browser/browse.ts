import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { API_KEY } from '../support/platform.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core');
const SCREENSHOTS = fileURLToPath(new URL('screenshots/', import.meta.url));
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const SCHEMES = ['light', 'dark'] as const;

export interface Browsing {
  readonly page: Page;
  /** Another window, where nobody is signed in. */
  open(): Promise<Page>;
  /** Goes to a path as who is signed in with the first key. */
  visit(path: string): Promise<void>;
  /**
   * Looks at what is shown, in both schemes and both sizes: axe finds nothing, nothing is wider than the window, and
   * there are screenshots of that name.
   */
  check(name: string, page?: Page): Promise<void>;
}

/** A browser for the file's tests; `baseUrl` is asked for when they begin. */
export function useBrowser(baseUrl: () => string): Browsing {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const problems: string[] = [];

  const open = async (): Promise<Page> => {
    context = await browser.newContext({ baseURL: baseUrl(), viewport: SIZES[0]!, reducedMotion: 'reduce' });
    // The page's own policy forbids what is not a file of the console.
    await context.addInitScript({ path: AXE });
    const opened = await context.newPage();
    opened.on('pageerror', (error) => problems.push(`${opened.url()}: ${error.message}`));
    opened.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) problems.push(message.text());
    });
    opened.setDefaultTimeout(10_000);
    return opened;
  };

  beforeAll(async () => {
    browser = await openBrowser();
    page = await open();
    await mkdir(SCREENSHOTS, { recursive: true });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    // Whatever a page could not do shows here, once.
    expect(problems).toEqual([]);
  });

  return {
    get page() {
      return page;
    },
    open,
    async visit(path) {
      if ((await page.request.get('/v2/session')).status() === 401)
        await page.request.post('/v2/sign-in', {
          data: { api_key: API_KEY },
          headers: { 'x-slipway-console': '1' },
        });
      await page.goto(path);
    },
    async check(name, shown = page) {
      for (const [place, size] of SIZES.entries()) {
        await shown.setViewportSize(size);
        for (const [other, scheme] of SCHEMES.entries()) {
          await shown.emulateMedia({ colorScheme: scheme });
          await shown.locator(`html[data-mantine-color-scheme='${scheme}']`).waitFor({ state: 'attached' });
          const path = `${SCREENSHOTS}${name}-${scheme}-${size.width}.png`;
          await shown.screenshot({ path, caret: 'initial' });
          // It takes a second: what it looks at depends on the scheme or on the size, and on nothing of both.
          if (place === other)
            expect({ name, scheme, width: size.width, found: await violations(shown) }).toEqual({
              name,
              scheme,
              width: size.width,
              found: [],
            });
        }
        expect(await shown.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
      }
      await shown.setViewportSize(SIZES[0]!);
      await shown.emulateMedia({ colorScheme: 'light' });
    },
  };
}

/** What axe finds against WCAG 2.2 AA and its best practices, in few words. */
const violations = (page: Page): Promise<string[]> =>
  page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`);
