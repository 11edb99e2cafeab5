import { randomUUID } from 'node:crypto';
import type { Asker } from './asker.ts';
import { requestOf } from './requests.ts';

/** Values for paths and bodies, by parameter name. */
export type Things = Record<string, string>;

const IDS = `
  deployment_id revision_id project_id listener_id integration_id api_key_id
  run_id trace_id session_id thread_id feedback_id dataset_id example_id comparison_id experiment_id
  queue_id queue_run_id item_id queue_item_id section_id chart_id price_id bulk_export_id commit_id token share_token`;
const NAMES = { index: '0', file: 'swagger-ui.css', tag_name: 'prod', ref: 'latest', asked: '&limit=1' };

/** Names of objects that don't exist. */
export function nothing(): Things {
  const word = (): string => `a-${randomUUID()}`;
  return {
    ...Object.fromEntries(
      IDS.trim()
        .split(/\s+/)
        .map((name) => [name, randomUUID()]),
    ),
    ...NAMES,
    owner: word(),
    repo: word(),
    feedback_key: word(),
    word: word(),
  };
}

/** Creates one of each object as the tenant. Returns their names. */
export async function makeOneOfEach(tenant: Asker): Promise<Things> {
  const things = nothing();
  /** Creates it as in the table of requests, and stores its name. */
  const make = async (route: string, kept: Record<string, string> = {}) => {
    const [method, path] = route.split(' ') as [string, string];
    const { query, body } = requestOf(route, things);
    const { status, json, text } = await tenant(method, fill(path, things) + query, body);
    if (status >= 300) throw new Error(`${route} answered ${status}: ${text}`);
    for (const [name, field] of Object.entries(kept)) {
      const value = field.split('.').reduce((part, step) => part?.[step], json);
      if (!value) throw new Error(`${route} told no ${field}: ${text}`);
      things[name] = value;
    }
  };
  await make('POST /v2/deployments', {
    deployment_id: 'id',
    project_id: 'id',
    revision_id: 'latest_revision_id',
  });
  await make('POST /v2/listeners', { listener_id: 'id' });
  await make('POST /v2/integrations', { integration_id: 'id' });
  await make('POST /v2/api-keys', { api_key_id: 'id' });
  await make('POST /sessions', { session_id: 'id' });
  await make('POST /datasets', { dataset_id: 'id' });
  const experiment = {
    id: things['experiment_id'],
    name: `${things['word']} tried`,
    reference_dataset_id: things['dataset_id'],
  };
  await tenant('POST', '/sessions', experiment);
  things['trace_id'] = things['run_id']!;
  await make('POST /runs');
  await make('POST /feedback', { feedback_id: 'id' });
  await make('POST /feedback/tokens');
  await make('POST /feedback-configs');
  await make('POST /examples', { example_id: 'id' });
  await make('POST /datasets/comparative', { comparison_id: 'id' });
  await make('PUT /datasets/{dataset_id}/tags');
  await make('POST /annotation-queues', { queue_id: 'id' });
  await make('POST /annotation-queues/{queue_id}/runs', { queue_run_id: '0.id' });
  things['item_id'] = things['queue_item_id'] = things['queue_run_id']!;
  await make('POST /charts/section', { section_id: 'id' });
  await make('POST /charts/create', { chart_id: 'id' });
  await make('POST /settings/handle');
  await make('POST /repos');
  await make('POST /commits/{owner}/{repo}', { commit_id: 'commit.id' });
  await make('POST /repos/{owner}/{repo}/tags');
  await make('POST /model-price-map', { price_id: 'id' });
  await make('POST /bulk-exports', { bulk_export_id: 'id' });
  return things;
}

/** A path with its parameters. Charts and their sections have paths of the same form but different ids. */
export const fill = (path: string, things: Things): string =>
  path.replaceAll(/(section\/|charts\/)?\{(\w+)\}/g, (_all, kind = '', parameter: string) => {
    const name = parameter === 'id' && kind ? `${(kind as string).replace(/s?\/$/, '')}_id` : parameter;
    if (!things[name]) throw new Error(`nothing is called ${name}`);
    return `${kind}${things[name]}`;
  });
