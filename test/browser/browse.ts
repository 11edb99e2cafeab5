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
  /** A window without a session. */
  open(): Promise<Page>;
  /** Opens a path, signed in with the first key. */
  visit(path: string): Promise<void>;
  /**
   * Checks the page in both colour schemes and both sizes: no axe violations, nothing wider than the window. Takes
   * screenshots of that name.
   */
  check(name: string, page?: Page): Promise<void>;
}

/** A browser for the tests of a file. `baseUrl` is evaluated when they begin. */
export function useBrowser(baseUrl: () => string): Browsing {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const problems: string[] = [];

  const open = async (): Promise<Page> => {
    context = await browser.newContext({ baseURL: baseUrl(), viewport: SIZES[0]!, reducedMotion: 'reduce' });
    // Applies to its pages and to its own requests.
    context.setDefaultTimeout(PATIENCE_MS);
    // An init script, because the content security policy blocks other foreign scripts.
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
    // Console errors and failed requests of all pages.
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
          // All rules in two of the four variants, because only colour rules depend on the scheme.
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

/** Violations of WCAG 2.2 AA and best practices, or of the given rules, in short form. */
const violations = (page: Page, rules?: string[]): Promise<string[]> =>
  page.evaluate(`axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })})
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`);

/** Checks whatever is open on the page. */
export const expectNothing = async (page: Page): Promise<void> => expect(await violations(page)).toEqual([]);

export async function expectCount(found: Locator, count: number): Promise<void> {
  let seen = 0;
  await until(`${count} exist`, async () => (seen = await found.count()) === count);
  expect(seen).toBe(count);
}

/**
 * Waits until an expression is true in the page. Playwright's own function is blocked by the page's content security
 * policy.
 */
export const untilTrue = (page: Page, expression: string): Promise<void> =>
  until(expression, () => page.evaluate<boolean>(expression));

/** Waits until an expression on the focused element is true. */
export const untilFocused = (page: Page, condition: string): Promise<void> =>
  untilTrue(page, `document.activeElement.${condition}`);

/** Waits for the document title, which is set after rendering. */
export const untilTitle = (page: Page, title: string): Promise<void> =>
  untilTrue(page, `document.title === ${JSON.stringify(`${title} · Slipway`)}`);

const MOST_STOPS = 60;

/** Presses Tab until an element with that name has focus. Focus must be visible at every stop. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const { label, isSeen } = await page.evaluate<{ label: string; isSeen: boolean }>(`(() => {
      const it = document.activeElement;
      const { outlineStyle } = getComputedStyle(it);
      // Inputs show focus by their border, switches by the element next to them.
      const isSeen = outlineStyle !== 'none' || it.matches('body, input, textarea, select');
      return { label: it.getAttribute('aria-label') ?? it.textContent.trim(), isSeen };
    })()`);
    expect({ label, isSeen }).toEqual({ label, isSeen: true });
    if (label === name) return;
  }
  throw new Error(`No stop of the Tab key is called ${name}`);
}
