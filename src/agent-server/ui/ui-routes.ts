import type { Context } from 'koa';
import { Type } from 'typebox';
import { NotFound } from '../../platform/errors.ts';
import { publicAddress } from '../../platform/http/public-address.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { findAssistant } from '../records/assistant-repository.ts';
import { callerOf } from '../caller.ts';
import { globalOf } from '../../graph-protocol/ui.ts';

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** The project's UI components for clients (contract §9), as the SDK's `LoadExternalComponent` requests them. */
export const uiRoutes = (deps: AgentDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/ui/{name}',
    operationId: 'getUiComponent',
    tags: ['UI'],
    summary: 'HTML that loads a component; the reader puts its own id for {{shadowRootId}}',
    params: Type.Object({ name: Type.String() }),
    body: Type.Object({ name: Type.String() }),
    responses: { 200: { description: 'HTML', content: 'text/html' }, 404: Detail, 422: Detail },
    async handle({ params, body, ctx }) {
      const bundleName = await findBundle(deps, ctx, params.name);
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = loader(baseUrl(deps, ctx), bundleName, [...deps.ui.get(bundleName)!.keys()], body.name);
    },
  }),
  defineRoute({
    method: 'get',
    path: '/ui/{name}/{file}',
    operationId: 'getUiFile',
    tags: ['UI'],
    summary: 'A file of a component',
    params: Type.Object({ name: Type.String(), file: Type.String() }),
    responses: { 200: { description: 'The file', content: 'text/javascript' }, 404: Detail },
    handle({ params: { name, file }, ctx }) {
      const contents = deps.ui.get(name)?.get(file);
      if (!contents) throw new NotFound();
      ctx.type = TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
      // The project may have changed since the page was last loaded.
      ctx.set('cache-control', 'no-cache');
      ctx.body = Buffer.from(contents);
    },
  }),
];

/** Finds a bundle by a key of `ui`, or by an assistant whose graph is one. */
async function findBundle({ ui, access, db }: AgentDeps, ctx: Context, name: string): Promise<string> {
  if (ui.has(name)) return name;
  const reach = await access.authorize(callerOf(ctx), 'assistants', 'read', { assistant_id: name });
  const graphId = (await findAssistant(db, name, reach))?.graph_id;
  if (graphId === undefined || !ui.has(graphId)) throw new NotFound(`No UI components for '${name}'`);
  return graphId;
}

/** Omits the scheme, so the page's own applies. */
function baseUrl({ project }: AgentDeps, ctx: Context): string {
  const { host, prefix } = publicAddress(ctx);
  return `//${host}${prefix}${project.config.http?.mount_prefix ?? ''}/ui`;
}

function loader(base: string, bundle: string, files: string[], component: string): string {
  const urlOf = (file: string) => escapeHtml(`${base}/${encodeURIComponent(bundle)}/${file}`);
  const call = `globalThis[${JSON.stringify(globalOf(bundle))}].render(${JSON.stringify(component)}, `;
  const styles = files
    .filter((file) => file.endsWith('.css'))
    .map((file) => `<link rel="stylesheet" href="${urlOf(file)}">`);
  const script = `<script src="${urlOf('entrypoint.js')}" onload="${escapeHtml(call)}'{{shadowRootId}}')"></script>`;
  return [...styles, script].join('\n');
}

// Escapes braces too: the reader replaces the first {{shadowRootId}} it finds.
const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"'{}]/g, (character) => `&#${character.charCodeAt(0)};`);
