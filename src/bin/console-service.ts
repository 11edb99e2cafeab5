import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../platform/package-root.ts';
import { staticSite } from '../platform/http/static-site.ts';

/** First parts of the console's paths; none of them is an API's, which a test checks. */
export const CONSOLE_PAGES = [
  'deployments',
  'playground',
  'threads',
  'crons',
  'store',
  'traces',
  'dashboards',
  'prompts',
  'review',
  'workspace',
  'sign-in',
  // As the field's clients print them: /o/<tenant>/…, /hub/<owner>/<prompt>, /context/<agent>, and a run's app_path.
  'o',
  'hub',
  'context',
  'projects',
];

const ID = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`;
/** Paths that clients print as pages, and ask as an API. */
const SHARED_PATHS = new RegExp(`^/(?:datasets(?:/${ID}(?:/compare|/e/${ID})?)?|public/${ID}/[rd])/?$`, 'i');

/** Whether a path that is an API's too is asked for by a browser that goes there: it wants a page, and names no key. */
export const isPageOfPath = (path: string, { accept, ...headers }: IncomingHttpHeaders): boolean =>
  SHARED_PATHS.test(path) &&
  accept !== undefined &&
  /\btext\/html\b/.test(accept) &&
  headers['x-api-key'] === undefined &&
  headers.authorization === undefined;

// Scripts are our own files alone; the design system writes its variables into a style element.
const POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data: blob:`,
  `media-src 'self' data: blob:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `form-action 'self'`,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
].join('; ');

/** The web console, as it was built into dist. Rejects when it was not. */
export const consoleService = () =>
  staticSite({
    folder: fileURLToPath(new URL('dist/console/', packageRoot)),
    pages: CONSOLE_PAGES,
    isPage: isPageOfPath,
    headers: {
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
  });
