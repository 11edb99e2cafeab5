import { writeFile } from 'node:fs/promises';
import { Client } from 'langsmith';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../src/platform/package-root.ts';
import { openBrowser } from '../support/browser.ts';

// The picture of the README: the newest trace of a project, on a running platform.
//   SLIPWAY_API_KEY=… npm run docs:picture -- <project>
const { SLIPWAY_URL = 'http://localhost:8080', SLIPWAY_API_KEY } = process.env;
const [project = 'my-agent'] = process.argv.slice(2);
const LIMIT_BYTES = 150_000;

async function newestTrace(): Promise<string> {
  const client = new Client({ apiUrl: SLIPWAY_URL, apiKey: SLIPWAY_API_KEY! });
  for await (const run of client.listRuns({ projectName: project, isRoot: true, limit: 1 })) return run.id;
  throw new Error(`There is no trace in ${project}`);
}

async function openTrace(page: Page, id: string): Promise<void> {
  await page.goto(`/traces/runs/${id}`);
  const call = page.getByRole('treeitem').filter({ hasText: 'LLM' }).last();
  await call.click();
  await page.getByText('Assistant', { exact: true }).first().waitFor();
}

const browser = await openBrowser();
const page = await browser.newPage({
  baseURL: SLIPWAY_URL,
  viewport: { width: 1280, height: 640 },
  deviceScaleFactor: 1.5,
  reducedMotion: 'reduce',
});
await page.request.post('/v2/sign-in', {
  data: { api_key: SLIPWAY_API_KEY },
  headers: { 'x-slipway-console': '1' },
});
await openTrace(page, await newestTrace());
const session = await page.context().newCDPSession(page);
const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
await browser.close();

const picture = Buffer.from(data, 'base64');
if (picture.length > LIMIT_BYTES) throw new Error(`The picture has ${picture.length} bytes`);
await writeFile(new URL('docs/console.webp', packageRoot), picture);
console.log(`docs/console.webp: ${picture.length} bytes`);
