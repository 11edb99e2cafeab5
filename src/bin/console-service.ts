import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../platform/package-root.ts';
import { staticSite } from '../platform/http/static-site.ts';

/** First segments of the console's paths; a test checks that no API uses them. */
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
  // As clients print them: /o/<tenant>/…, /hub/<owner>/<prompt>, /context/<agent>, and a run's app_path.
  'o',
  'hub',
  'context',
  'projects',
];

const ID = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`;
/** Paths that are both printed as pages and requested as API. */
const SHARED_PATHS = new RegExp(`^/(?:datasets(?:/${ID}(?:/compare|/e/${ID})?)?|public/${ID}/[rd])/?$`, 'i');

/** Whether a browser navigates to a path that is also an API's: it accepts HTML and sends no key. */
export const isPageOfPath = (path: string, { accept, ...headers }: IncomingHttpHeaders): boolean =>
  SHARED_PATHS.test(path) &&
  accept !== undefined &&
  /\btext\/html\b/.test(accept) &&
  headers['x-api-key'] === undefined &&
  headers.authorization === undefined;

// Scripts come from our own files only; the design system writes its variables into a style element.
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

/** The built web console. Rejects if it wasn't built. */
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
