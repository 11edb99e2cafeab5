import type { TSchema } from 'typebox';
import type { Route } from './route.ts';

interface Described {
  description: string;
  content?: string;
}

const isDescribed = (response: TSchema | Described): response is Described =>
  'description' in response && !('type' in response || 'anyOf' in response || '~kind' in response);

/** OpenAPI 3.1 document of the routes; what the validators check is what the document says. */
export function openapi(
  routes: Route[],
  info: { title: string; version: string; description: string },
): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.hidden) continue;
    (paths[route.path] ??= {})[route.method] = operation(route);
  }
  return { openapi: '3.1.0', info, paths };
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
  return content ? { description, content: { [content]: { schema: { type: 'string' } } } } : { description };
}

interface Node {
  required?: string[];
  properties?: Record<string, object>;
  items?: object;
}

/**
 * A plain JSON copy in the dialect of OpenAPI 3.1, which writes tuples in another way than the validators' own. A
 * property with a default need not be sent, so it leaves the list of required ones.
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
