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
  'workspace',
  'sign-in',
  // As the field's clients print it: /o/<tenant>/host/deployments/<id>.
  'o',
];

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
    headers: {
      'content-security-policy': POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
  });
