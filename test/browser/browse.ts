import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { API_KEY } from '../support/platform.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { isWhole } from '../support/whole.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core');
const SCREENSHOTS = fileURLToPath(new URL('screenshots/', import.meta.url));
const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const SCHEMES = ['light', 'dark'] as const;
const COLOURS = ['color-contrast', 'link-in-text-block'];

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
    // Of its pages, and of requests without one.
    context.setDefaultTimeout(PATIENCE_MS);
    // The page's own policy forbids what is not a file of the console.
    await context.addInitScript({ path: AXE });
    const opened = await context.newPage();
    opened.on('pageerror', (error) => problems.push(`${opened.url()}: ${error.message}`));
    opened.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) problems.push(message.text());
    });
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
          if (place !== other && !isWhole) continue;
          // Everything in two of the four: what a rule says depends on the size or on nothing, but for colours.
          const rules = place === other ? undefined : COLOURS;
          await shown.emulateMedia({ colorScheme: scheme });
          await shown.locator(`html[data-mantine-color-scheme='${scheme}']`).waitFor({ state: 'attached' });
          const path = `${SCREENSHOTS}${name}-${scheme}-${size.width}.png`;
          await shown.screenshot({ path, caret: 'initial' });
          const found = await violations(shown, rules);
          expect({ name, scheme, width: size.width, found }).toEqual({
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

/** What axe finds against WCAG 2.2 AA and its best practices, or against some of its rules, in few words. */
const violations = (page: Page, rules?: string[]): Promise<string[]> =>
  page.evaluate(`axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })})
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`);

/** Of what is open above a page, as it is. */
export const expectNothing = async (page: Page): Promise<void> => expect(await violations(page)).toEqual([]);

/** Waits until that many are there. */
export async function expectCount(found: Locator, count: number): Promise<void> {
  let seen = 0;
  await until(`${count} are there`, async () => (seen = await found.count()) === count);
  expect(seen).toBe(count);
}

/** Waits until an expression is true in the page. What Playwright has for it is evaluated by the page, whose policy forbids that. */
export const untilTrue = (page: Page, expression: string): Promise<void> =>
  until(expression, () => page.evaluate<boolean>(expression));

/** Waits until what is said of where the keys go is true of it: effects come a moment after what is drawn. */
export const untilFocused = (page: Page, said: string): Promise<void> =>
  untilTrue(page, `document.activeElement.${said}`);

/** Waits for the window's title: it is set once the page is drawn. */
export const untilTitle = (page: Page, title: string): Promise<void> =>
  untilTrue(page, `document.title === ${JSON.stringify(`${title} · Slipway`)}`);

const MOST_STOPS = 60;

/** Goes from stop to stop by the Tab key until one has that name; where it is must be seen at every one of them. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const { said, isSeen } = await page.evaluate<{ said: string; isSeen: boolean }>(`(() => {
      const it = document.activeElement;
      const { outlineStyle } = getComputedStyle(it);
      // A field shows by its border that it is written into; a switch by what stands beside it.
      const isSeen = outlineStyle !== 'none' || it.matches('body, input, textarea, select');
      return { said: it.getAttribute('aria-label') ?? it.textContent.trim(), isSeen };
    })()`);
    expect({ said, isSeen }).toEqual({ said, isSeen: true });
    if (said === name) return;
  }
  throw new Error(`No stop of the Tab key is called ${name}`);
}
