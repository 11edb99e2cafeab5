import type { TSchema } from 'typebox';
import { JsonObject } from '../schema.ts';
import { defineRoute, type Route } from './route.ts';

interface Described {
  description: string;
  content?: string | readonly string[];
}

const isDescribed = (response: TSchema | Described): response is Described =>
  'description' in response && !('type' in response || 'anyOf' in response || '~kind' in response);

/** Security section of the OpenAPI document. */
export interface OpenApiSecurity {
  securitySchemes?: object;
  security?: unknown;
}

/** Generates an OpenAPI 3.1 document from the schemas that validate requests. */
export function openapi(
  routes: Route[],
  info: { title: string; version: string; description: string },
  { securitySchemes, security }: OpenApiSecurity = {},
): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.hidden) continue;
    (paths[route.path] ??= {})[route.method] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info,
    ...(security !== undefined && { security }),
    paths,
    ...(securitySchemes && { components: { securitySchemes } }),
  };
}

/** Serves the document at the conventional path. It is generated on the first request, to keep startup fast. */
export function openapiRoute(document: () => object): Route {
  let text: string | undefined;
  return defineRoute({
    method: 'get',
    path: '/openapi.json',
    operationId: 'openapi',
    tags: ['System'],
    summary: 'OpenAPI 3.1 document',
    hidden: true,
    responses: { 200: JsonObject },
    handle({ ctx }) {
      ctx.type = 'application/json';
      ctx.body = text ??= JSON.stringify(document());
    },
  });
}

function operation(route: Route): object {
  return {
    operationId: route.operationId,
    tags: route.tags,
    summary: route.summary,
    parameters: [...parameters(route, 'path'), ...parameters(route, 'query')],
    ...(route.body && { requestBody: { content: { 'application/json': { schema: plain(route.body) } } } }),
    responses: Object.fromEntries(
      Object.entries(route.responses).map(([status, response]) => [
        status,
        describeResponse(Number(status), response),
      ]),
    ),
  };
}

function parameters(route: Route, place: 'path' | 'query'): object[] {
  const schema = place === 'path' ? route.params : route.query;
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required.has(name) && !('default' in property)),
    schema: plain(property),
  }));
}

function describeResponse(status: number, response: TSchema | Described): object {
  if (!isDescribed(response)) {
    const description = status < 400 ? 'Success' : 'Failure';
    return { description, content: { 'application/json': { schema: plain(response) } } };
  }
  const { description, content } = response;
  if (!content) return { description };
  const types = [content]
    .flat()
    .map((type) => [type, { schema: { type: isJson(type) ? 'object' : 'string' } }]);
  return { description, content: Object.fromEntries(types) };
}

const isJson = (type: string): boolean => type === 'application/json';

interface Node {
  required?: string[];
  properties?: Record<string, object>;
  items?: object;
}

/**
 * Converts a schema to OpenAPI 3.1, which writes tuples differently. Properties with a default are optional in
 * requests, so they are removed from `required`.
 */
function plain(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const node = value as Node | null;
    if (Array.isArray(node?.items)) {
      const {
        items: prefixItems,
        additionalItems: items,
        ...rest
      } = node as Node & { additionalItems?: boolean };
      return { ...rest, prefixItems, ...(items !== undefined && { items }) };
    }
    if (!node?.properties || !Array.isArray(node.required)) return value;
    const required = node.required.filter((name) => !('default' in (node.properties?.[name] ?? {})));
    const { required: _all, ...rest } = node;
    return required.length > 0 ? { ...rest, required } : rest;
  });
}
