import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { NotFound } from '../errors.ts';
import { defineRoute, type Route } from './route.ts';

const VIEWER = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
]);
const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const page = (title: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: 'openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null });</script>
</body>
</html>
`;

/** Interactive API documentation based on `openapi.json`. All files come from this server, so it works offline. */
export const docsRoutes = (title: string): Route[] => [
  defineRoute({
    method: 'get',
    path: '/docs',
    operationId: 'docs',
    tags: ['System'],
    summary: 'Interactive API documentation',
    hidden: true,
    responses: { 200: { description: 'HTML', content: 'text/html' } },
    handle({ ctx }) {
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = page(title);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/docs/{file}',
    operationId: 'docsFile',
    tags: ['System'],
    summary: 'Read a file of the documentation viewer',
    hidden: true,
    params: Type.Object({ file: Type.String() }),
    responses: { 200: { description: 'The file', content: 'text/javascript' } },
    handle({ params: { file }, ctx }) {
      const type = VIEWER.get(file);
      if (!type) throw new NotFound();
      ctx.type = type;
      ctx.set('cache-control', 'public, max-age=86400');
      ctx.body = createReadStream(join(folder, file));
    },
  }),
];
