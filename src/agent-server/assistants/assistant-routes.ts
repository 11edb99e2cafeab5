import { Type } from 'typebox';
import { paginate } from '../../platform/http/pagination.ts';
import { defineRoute, type Route } from '../../platform/http/route.ts';
import { Detail } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { callerOf } from '../caller.ts';
import { VersionNotFound } from '../errors.ts';
import {
  Assistant,
  AssistantCount,
  AssistantCreate,
  AssistantPatch,
  AssistantPath,
  AssistantSearch,
  AssistantVersion,
  VersionSearch,
} from '../records/assistant.ts';
import {
  countAssistants,
  listVersions,
  restoreVersion,
  searchAssistants,
} from '../records/assistant-repository.ts';
import { requireAssistant } from '../records/assistant-reference.ts';
import { readAssistant } from '../auth/assistant-access.ts';
import { createAssistant, patchAssistant, removeAssistant } from './assistant-service.ts';
import { introspectionRoutes } from './introspection-routes.ts';

const route = { tags: ['Assistants'] };

export const assistantRoutes = (deps: AgentDeps): Route[] => [
  defineRoute({
    ...route,
    method: 'post',
    path: '/assistants',
    operationId: 'createAssistant',
    summary: 'Create an assistant',
    body: AssistantCreate,
    responses: { 200: Assistant, 400: Detail, 404: Detail, 409: Detail, 422: Detail },
    handle: ({ body, ctx }) => createAssistant(deps, callerOf(ctx), body),
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/assistants/search',
    operationId: 'searchAssistants',
    summary: 'Search assistants',
    body: AssistantSearch,
    responses: { 200: Type.Array(Type.Partial(Assistant)), 404: Detail, 422: Detail },
    async handle({ body, ctx }) {
      const reach = await deps.access.authorize(callerOf(ctx), 'assistants', 'search', body);
      if (body.graph_id !== undefined) deps.project.require(body.graph_id);
      return paginate(ctx, body, await searchAssistants(deps.db, body, reach));
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/assistants/count',
    operationId: 'countAssistants',
    summary: 'Count assistants',
    body: AssistantCount,
    responses: { 200: Type.Integer(), 422: Detail },
    async handle({ body, ctx }) {
      const reach = await deps.access.authorize(callerOf(ctx), 'assistants', 'search', body);
      return countAssistants(deps.db, body, reach);
    },
  }),
  defineRoute({
    ...route,
    method: 'get',
    path: '/assistants/{assistant_id}',
    operationId: 'getAssistant',
    summary: 'Get an assistant',
    params: AssistantPath,
    responses: { 200: Assistant, 404: Detail },
    handle: ({ params: { assistant_id }, ctx }) => readAssistant(deps, callerOf(ctx), assistant_id),
  }),
  defineRoute({
    ...route,
    method: 'patch',
    path: '/assistants/{assistant_id}',
    operationId: 'patchAssistant',
    summary: 'Change an assistant, which makes a new version of it',
    params: AssistantPath,
    body: AssistantPatch,
    responses: { 200: Assistant, 400: Detail, 404: Detail, 422: Detail },
    handle: ({ params: { assistant_id }, body, ctx }) =>
      patchAssistant(deps, callerOf(ctx), assistant_id, body),
  }),
  defineRoute({
    ...route,
    method: 'delete',
    path: '/assistants/{assistant_id}',
    operationId: 'deleteAssistant',
    summary:
      'Delete an assistant, and on request the threads that last ran it; runs in flight are stopped first',
    params: AssistantPath,
    query: Type.Object({ delete_threads: Type.Boolean({ default: false }) }),
    responses: { 204: { description: 'Deleted' }, 404: Detail, 422: Detail },
    handle: ({ params: { assistant_id }, query: { delete_threads }, ctx }) =>
      removeAssistant(deps, callerOf(ctx), assistant_id, delete_threads),
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/assistants/{assistant_id}/versions',
    operationId: 'listAssistantVersions',
    summary: 'List the versions of an assistant, newest first',
    params: AssistantPath,
    body: VersionSearch,
    responses: { 200: Type.Array(AssistantVersion), 404: Detail, 422: Detail },
    async handle({ params, body, ctx }) {
      const { assistant_id } = await readAssistant(deps, callerOf(ctx), params.assistant_id);
      return listVersions(deps.db, assistant_id, body);
    },
  }),
  defineRoute({
    ...route,
    method: 'post',
    path: '/assistants/{assistant_id}/latest',
    operationId: 'setLatestAssistantVersion',
    summary: 'Make an assistant what it was in one of its versions',
    params: AssistantPath,
    body: Type.Object({ version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
    responses: { 200: Assistant, 404: Detail, 422: Detail },
    async handle({ params, body: { version }, ctx }) {
      const asked = { assistant_id: params.assistant_id, version };
      const reach = await deps.access.authorize(callerOf(ctx), 'assistants', 'update', asked);
      const { assistant_id } = await requireAssistant(deps.db, params.assistant_id, reach);
      const restored = await restoreVersion(deps.db, assistant_id, version);
      if (!restored) throw new VersionNotFound(assistant_id, version);
      return restored;
    },
  }),
  ...introspectionRoutes(deps),
];
