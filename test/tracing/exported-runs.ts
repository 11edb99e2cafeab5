import { gunzipSync } from 'node:zlib';
import { ask } from '../support/platform.ts';
import { until } from '../support/until.ts';

interface Exported {
  id: string;
  inputs: object;
}

/** The runs of an export that is made of this, when it is written. */
export async function exportedRuns(url: string, asked: object): Promise<Exported[]> {
  const { id } = (await ask(url, 'POST', '/bulk-exports', asked)).json;
  const read = async () => (await ask(url, 'GET', `/bulk-exports/${id}`)).json;
  await until('it is written', async () => (await read()).status === 'Completed');
  const { download_url } = await read();
  const answer = await fetch(download_url.replace(/^https?:\/\/[^/]+/, url));
  const text = gunzipSync(Buffer.from(await answer.arrayBuffer())).toString();
  const lines = text.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Exported);
}
