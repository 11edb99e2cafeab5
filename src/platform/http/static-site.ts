import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import { extname, relative, sep } from 'node:path';

export interface StaticSiteOptions {
  /** Built files; `<name>.br` and `<name>.gz` are compressed variants. */
  folder: string;
  /** First path segments of pages, all of which serve the index. */
  pages: readonly string[];
  /** Whether the headers ask for a page at other paths. */
  isPage: (path: string, headers: IncomingHttpHeaders) => boolean;
  /** Headers of every response. */
  headers: Record<string, string>;
}

interface File {
  headers: Record<string, string>;
  /** By encoding; `identity` is always present. */
  bodies: Record<string, Buffer>;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};
// File names contain a content hash.
const HASHED = /^\/assets\//;

/** Serves a built single-page application from memory. Returns undefined for paths that are not part of it. */
export async function staticSite({
  folder,
  pages,
  isPage,
  headers,
}: StaticSiteOptions): Promise<(request: IncomingMessage) => RequestListener | undefined> {
  const files = await readFiles(folder);
  const heads = new Set(pages);
  return ({ url = '/', method, headers: asked }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    const path = url.split('?', 1)[0]!;
    const isIndex = path === '/' || heads.has(path.split('/', 2)[1]!) || isPage(path, asked);
    const file = files.get(isIndex ? '/index.html' : path);
    return file && ((request, response) => answer(file, headers, request, response));
  };
}

function answer(
  { headers, bodies }: File,
  common: Record<string, string>,
  { headers: asked, method }: Parameters<RequestListener>[0],
  response: Parameters<RequestListener>[1],
): void {
  const accepted = String(asked['accept-encoding'] ?? '');
  const encoding = ['br', 'gzip'].find((name) => bodies[name] && new RegExp(`\\b${name}\\b`).test(accepted));
  const body = bodies[encoding ?? 'identity']!;
  const isKnown = asked['if-none-match']?.includes(headers['etag']!) ?? false;
  response.writeHead(isKnown ? 304 : 200, {
    ...common,
    ...headers,
    ...(!isKnown && { 'content-length': body.length, ...(encoding && { 'content-encoding': encoding }) }),
  });
  response.end(isKnown || method === 'HEAD' ? undefined : body);
}

async function readFiles(folder: string): Promise<Map<string, File>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && TYPES[extname(entry.name)])
    .map((entry) => relative(folder, `${entry.parentPath}${sep}${entry.name}`));
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, File]> => {
        const path = `/${name.split(sep).join('/')}`;
        return [path, await readOne(`${folder}${sep}${name}`, path)];
      }),
    ),
  );
}

async function readOne(place: string, path: string): Promise<File> {
  const identity = await readFile(place);
  const [br, gzip] = await Promise.all(
    ['br', 'gz'].map((end) => readFile(`${place}.${end}`).catch(() => null)),
  );
  return {
    headers: {
      'content-type': TYPES[extname(path)]!,
      'cache-control': HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
      vary: 'accept, accept-encoding',
    },
    bodies: { identity, ...(br && { br }), ...(gzip && { gzip }) },
  };
}
