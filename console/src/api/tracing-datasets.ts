import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, patch, post, put, remove } from './http.ts';
import { readAll } from './read-all.ts';
import type { Dataset, Example, JsonRecord } from './tracing-records.ts';

/** Datasets by name substring, newest first (GET /datasets). */
export const datasetsQuery = (name = '') =>
  queryOptions({
    queryKey: ['datasets', name],
    queryFn: ({ signal }) =>
      readAll((page) => get<Dataset[]>('/datasets', { query: { name_contains: name, ...page }, signal })),
    placeholderData: keepPreviousData,
  });

export const datasetQuery = (id: string) =>
  queryOptions({
    queryKey: ['datasets', 'one', id],
    queryFn: ({ signal }) => get<Dataset>(`/datasets/${id}`, { signal }),
  });

export const createDataset = (body: { name: string; description?: string }): Promise<Dataset> =>
  post('/datasets', body);
export const deleteDataset = (id: string): Promise<void> => remove(`/datasets/${id}`);

/** Creates an example from a run's inputs and outputs (POST /examples). */
export const addExample = (datasetId: string, runId: string): Promise<{ id: string }> =>
  post('/examples', {
    dataset_id: datasetId,
    source_run_id: runId,
    use_source_run_io: true,
    use_source_run_attachments: true,
  });

export const EXAMPLES_PAGE = 50;

export interface ExampleFilter {
  /** A time or tag; empty means the newest version. */
  version: string;
  split: string;
  text: string;
  offset: number;
}

/** A page of examples plus one more if there is a next page (GET /examples). */
export const examplesQuery = (dataset: string, { version, split, text, offset }: ExampleFilter) =>
  queryOptions({
    queryKey: ['examples', dataset, version, split, text, offset],
    queryFn: ({ signal }) =>
      get<Example[]>('/examples', {
        query: {
          dataset,
          as_of: version,
          splits: split,
          full_text_contains: text,
          limit: EXAMPLES_PAGE + 1,
          offset,
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

export const exampleQuery = (id: string, version: string) =>
  queryOptions({
    queryKey: ['example', id, version],
    queryFn: ({ signal }) => get<Example>(`/examples/${id}`, { query: { as_of: version }, signal }),
  });

export interface ExampleFields {
  inputs: JsonRecord;
  outputs: JsonRecord | null;
  metadata: JsonRecord;
  split?: string[];
}

export const createExample = (dataset_id: string, fields: ExampleFields): Promise<Example> =>
  post('/examples', { dataset_id, ...fields });
export const updateExample = (id: string, fields: ExampleFields): Promise<unknown> =>
  patch(`/examples/${id}`, fields);
export const deleteExample = (id: string): Promise<void> => remove(`/examples/${id}`);

const MAX_VERSIONS = 100;

/** Versions, newest first (GET /datasets/{id}/versions). */
export const versionsQuery = (datasetId: string) =>
  queryOptions({
    queryKey: ['examples', datasetId, 'versions'],
    queryFn: ({ signal }) =>
      get<{ as_of: string; tags: string[] }[]>(`/datasets/${datasetId}/versions`, {
        query: { limit: MAX_VERSIONS },
        signal,
      }),
  });

export const splitsQuery = (datasetId: string) =>
  queryOptions({
    queryKey: ['examples', datasetId, 'splits'],
    queryFn: ({ signal }) => get<string[]>(`/datasets/${datasetId}/splits`, { signal }),
  });

/** The share of a dataset; null if not shared. */
export const datasetShareQuery = (id: string) => ({
  queryKey: ['dataset-share', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    get<{ share_token: string } | null>(`/datasets/${id}/share`, { signal }),
});

export const shareDataset = (id: string): Promise<unknown> => put(`/datasets/${id}/share`, {});
export const unshareDataset = (id: string): Promise<void> => remove(`/datasets/${id}/share`);
