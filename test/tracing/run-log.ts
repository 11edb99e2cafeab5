import { API_KEY, type PlatformProcess } from '../support/platform.ts';
import { canonical } from '../support/canonical-json.ts';

const BOUNDARY = 'b0undary';
const PAGE = 100;
const OWN_PARTS = ['inputs', 'outputs', 'events', 'extra', 'serialized', 'error'];
const headers = { 'x-api-key': API_KEY };

export interface Answer {
  status: number;
  json: any;
}

/** Fields of a run as JSON text. */
export type Members = Record<string, string>;
export const objectText = (members: Members): string =>
  `{${Object.entries(members)
    .map(([key, text]) => `${JSON.stringify(key)}:${text}`)
    .join()}}`;

export type Way = 'batch' | 'multipart' | 'single';
export interface Said {
  kind: 'post' | 'patch';
  run: Members;
}

/** Logs runs as JSON text without conversion, and reads them with all digits of their numbers. */
export function runLog(api: () => PlatformProcess) {
  async function send(
    method: string,
    path: string,
    body: string | Buffer,
    type = 'application/json',
  ): Promise<Answer> {
    const response = await fetch(api().url + path, {
      method,
      headers: { ...headers, 'content-type': type },
      body: new Uint8Array(Buffer.from(body)),
    });
    // Clients retry these.
    if (response.status === 503) return send(method, path, body, type);
    return { status: response.status, json: await response.json() };
  }

  const sendParts = (parts: [string, string | Buffer][]): Promise<Answer> =>
    send(
      'POST',
      '/runs/multipart',
      Buffer.concat([
        ...parts.flatMap(([name, json]) => [
          Buffer.from(
            `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n`,
          ),
          Buffer.from(json),
          Buffer.from('\r\n'),
        ]),
        Buffer.from(`--${BOUNDARY}--\r\n`),
      ]),
      `multipart/form-data; boundary=${BOUNDARY}`,
    );

  /** Sends operations by one of the ingest routes, in one request if possible. */
  async function log(said: Said[], way: Way): Promise<Answer[]> {
    if (way === 'batch') {
      const list = (kind: Said['kind']) =>
        `[${said.flatMap((one) => (one.kind === kind ? objectText(one.run) : [])).join()}]`;
      return [await send('POST', '/runs/batch', `{"post":${list('post')},"patch":${list('patch')}}`)];
    }
    if (way === 'multipart') return [await sendParts(said.flatMap(partsOf))];
    return Promise.all(
      said.map(({ kind, run }) =>
        kind === 'post'
          ? send('POST', '/runs', objectText(run))
          : send('PATCH', `/runs/${JSON.parse(run['id']!) as string}`, objectText(run)),
      ),
    );
  }

  async function read(id: string): Promise<Record<string, any>> {
    const response = await fetch(`${api().url}/runs/${id}`, { headers });
    return canonical(await response.text()) as Record<string, any>;
  }

  async function readPage(id: string[]): Promise<Record<string, any>[]> {
    const response = await fetch(`${api().url}/runs/query`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ id }),
    });
    return (canonical(await response.text()) as { runs: Record<string, any>[] }).runs;
  }

  return {
    send,
    sendParts,
    read,
    log,
    post: (runs: Members[], way: Way) =>
      log(
        runs.map((run) => ({ kind: 'post', run })),
        way,
      ),
    /** Reads runs page by page. Missing runs are left out. */
    async readMany(ids: string[]): Promise<Map<string, Record<string, any>>> {
      const pages: string[][] = [];
      for (let at = 0; at < ids.length; at += PAGE) pages.push(ids.slice(at, at + PAGE));
      const runs = (await Promise.all(pages.map(readPage))).flat();
      return new Map(runs.map((run) => [run['id'] as string, run]));
    },
  };
}

function partsOf({ kind, run }: Said): [string, string][] {
  const id = JSON.parse(run['id']!) as string;
  const main = Object.fromEntries(Object.entries(run).filter(([key]) => !OWN_PARTS.includes(key)));
  const own = OWN_PARTS.filter((key) => key in run).map((key): [string, string] => [
    `${kind}.${id}.${key}`,
    run[key]!,
  ]);
  return [[`${kind}.${id}`, objectText(main)], ...own];
}
