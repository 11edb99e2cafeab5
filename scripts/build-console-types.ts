import { writeFile } from 'node:fs/promises';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { Registry } from 'prom-client';
import type { ControlPlaneDeps } from '../src/control-plane/control-plane-deps.ts';
import { servedRoutes } from '../src/control-plane/control-plane-server.ts';
import { openapi } from '../src/platform/http/openapi.ts';
import { packageRoot } from '../src/platform/package-root.ts';

interface Document {
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: JSONSchema }> }>;
}

/** Writes the types of the control plane's answers by operation, as its OpenAPI document describes them. */
const deps = { config: {} } as ControlPlaneDeps;
const routes = servedRoutes(deps, { metrics: new Registry(), version: '' });
const { paths } = openapi(routes, { title: '', version: '', description: '' }) as Document;
const properties: Record<string, JSONSchema> = {};
for (const { operationId, responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
  for (const [status, { content }] of Object.entries(responses)) {
    const schema = content?.['application/json']?.schema;
    if (schema && Number(status) < 300) properties[operationId] = schema;
  }
const answers: JSONSchema = { type: 'object', properties, required: Object.keys(properties) };
const types = await compile(answers, 'Answers', {
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
  bannerComment: '// Written by scripts/build-console-types.ts.',
});
await writeFile(new URL('console/src/api/control-plane-answers.ts', packageRoot), types);
