import { Type } from 'typebox';
import { BadRequest, InvalidRequest } from '../../platform/errors.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { FoundItem, ItemPut, ItemSearch, NamespaceList, StoreItem } from './store-item.ts';

const route = { tags: ['Store'] };
const Dotted = Type.Optional(Type.String({ description: 'labels joined by periods' }));
const Key = Type.Optional(Type.String());
const ItemDelete = Type.Object({ namespace: Type.Optional(Type.Array(Type.String())), key: Key });

const splitLabels = (dotted = ''): string[] => (dotted === '' ? [] : dotted.split('.'));

export const storeRoutes = ({ store, access }: AgentDeps): Route[] => [
  defineRoute({
    ...route,
    method: 'put',
    path: '/store/items',
    operationId: 'putStoreItem',
    summary: 'Write an item, whether or not it exists',
    body: ItemPut,
    responses: { 204: { description: 'Written' }, 400: Detail, 403: Detail, 404: Detail, 422: Detail },
    async handle({ body, ctx }) {
      const reach = await access.authorize(callerOf(ctx), 'store', 'put', body);
      const { namespace, key, value, index, ttl } = body;
      const options = { ...(index !== undefined && { index }), ...(ttl !== undefined && { ttl }) };
      await store.put({ namespace, key, value, ...options }, reach);
    },
  }),
  defineRoute({
    ...route,
    method: 'get',
    path: '/store/items',
    operationId: 'getStoreItem',
    summary: 'Read an item; null when there is none',
    query: Type.Object({ namespace: Dotted, key: Key, refresh_ttl: Type.Optional(Type.Boolean()) }),
    responses: { 200: Type.Union([StoreItem, Type.Null()]), 400: Detail, 404: Detail, 422: Detail },
    async handle({ query: { namespace, key, refresh_ttl }, ctx }) {
      if (!key) throw new BadRequest('Missing key');
      const item = { namespace: splitLabels(namespace), key };
      const reach = await access.authorize(callerOf(ctx), 'store', 'get', item);
      return store.get({ ...item, refresh_ttl }, reach);
    },
  }),
  defineRoute({
    ...route,
    method: 'delete',
    path: '/store/items',
    operationId: 'deleteStoreItem',
    summary: 'Delete an item, named in the body or in the query',
    query: Type.Object({ namespace: Dotted, key: Key }),
    body: ItemDelete,
    responses: { 204: { description: 'Deleted' }, 400: Detail, 403: Detail, 404: Detail, 422: Detail },
    async handle({ body, query, ctx }) {
      const key = body.key ?? query.key;
      if (key === undefined) throw new InvalidRequest('body.key is required');
      const item = { namespace: body.namespace ?? splitLabels(query.namespace), key };
      const reach = await access.authorize(callerOf(ctx), 'store', 'delete', item);
      await store.delete(item, reach);
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/store/items/search',
    operationId: 'searchStoreItems',
    summary: 'Search items under a namespace prefix',
    body: ItemSearch,
    responses: { 200: Type.Object({ items: Type.Array(FoundItem) }), 422: Detail },
    async handle({ body, ctx }) {
      // Handlers expect the prefix under the same name as in every other operation.
      const { namespace_prefix, ...rest } = body;
      const asked = { ...rest, namespace: namespace_prefix };
      const reach = await access.authorize(callerOf(ctx), 'store', 'search', asked);
      const { namespace, ...search } = asked;
      return { items: await store.search({ ...search, namespace_prefix: namespace }, reach) };
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/store/namespaces',
    operationId: 'listStoreNamespaces',
    summary: 'List namespaces',
    body: NamespaceList,
    responses: { 200: Type.Object({ namespaces: Type.Array(Type.Array(Type.String())) }), 422: Detail },
    async handle({ body, ctx }) {
      const { prefix, ...rest } = body;
      const asked = { ...rest, namespace: prefix ?? [] };
      const reach = await access.authorize(callerOf(ctx), 'store', 'list_namespaces', asked);
      const { namespace, ...listing } = asked;
      return { namespaces: await store.listNamespaces({ ...listing, prefix: namespace }, reach) };
    },
  }),
];
