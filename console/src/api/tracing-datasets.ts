import { queryOptions } from '@tanstack/react-query';
import { get, post } from './http.ts';
import type { Dataset } from './tracing-records.ts';

export const datasetsQuery = queryOptions({
  queryKey: ['datasets'],
  queryFn: ({ signal }) => get<Dataset[]>('/datasets', { query: { limit: 100 }, signal }),
});

export const createDataset = (name: string): Promise<Dataset> => post('/datasets', { name });

/** An example of what a run was given and answered (POST /examples). */
export const addExample = (datasetId: string, runId: string): Promise<{ id: string }> =>
  post('/examples', {
    dataset_id: datasetId,
    source_run_id: runId,
    use_source_run_io: true,
    use_source_run_attachments: true,
  });
