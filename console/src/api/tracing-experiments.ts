import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get, post } from './http.ts';
import { readAll } from './read-all.ts';
import { EXAMPLES_PAGE } from './tracing-datasets.ts';
import type { Dataset, Example, Experiment, Run, RunSummary } from './tracing-records.ts';

/** Experiments on a dataset with statistics, newest first (GET /sessions). */
export const experimentsQuery = (datasetId: string) =>
  queryOptions({
    queryKey: ['experiments', datasetId],
    queryFn: ({ signal }) =>
      readAll((page) =>
        get<Experiment[]>('/sessions', {
          query: { reference_dataset: datasetId, include_stats: true, ...page },
          signal,
        }),
      ),
    refetchInterval: 15_000,
  });

/** An example with its runs in the compared experiments. Inputs and outputs are previews. */
export interface ComparedExample extends Example {
  runs: (RunSummary & { reference_example_id: string })[];
}

const COMPARED_PAGE = 50;

/**
 * Examples with their runs, page by page (POST /datasets/{id}/runs). `sort` is a feedback key, with a leading `-` for
 * descending order.
 */
export const comparedQuery = (datasetId: string, experiments: string[], sort: string) =>
  infiniteQueryOptions({
    queryKey: ['compared', datasetId, experiments, sort],
    queryFn: ({ pageParam, signal }) =>
      post<ComparedExample[]>(
        `/datasets/${datasetId}/runs`,
        {
          session_ids: experiments,
          preview: true,
          limit: COMPARED_PAGE,
          offset: pageParam,
          ...(sort && {
            sort_params: {
              sort_by: `feedback.${sort.replace(/^-/, '')}`,
              sort_order: sort.startsWith('-') ? 'DESC' : 'ASC',
            },
          }),
        },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.length < COMPARED_PAGE ? undefined : pages.length * COMPARED_PAGE,
    placeholderData: keepPreviousData,
    enabled: experiments.length > 0,
  });

/** Feedback keys for which lower scores are better (GET /feedback-configs). */
export const lowerIsBetterQuery = queryOptions({
  queryKey: ['feedback-configs'],
  queryFn: async ({ signal }) =>
    (
      await get<{ feedback_key: string; is_lower_score_better: boolean }[]>('/feedback-configs', { signal })
    ).flatMap(({ feedback_key, is_lower_score_better }) => (is_lower_score_better ? feedback_key : [])),
  staleTime: 60_000,
});

/** One compared example with full outputs. */
export const wholeExampleQuery = (datasetId: string, experiments: string[], exampleId: string) =>
  queryOptions({
    queryKey: ['compared', datasetId, experiments, 'whole', exampleId],
    queryFn: async ({ signal }) => {
      const body = { session_ids: experiments, example_ids: [exampleId] };
      const [example] = await post<(Example & { runs: Run[] })[]>(`/datasets/${datasetId}/runs`, body, {
        signal,
      });
      if (!example) throw new Error('The example is no longer in the dataset');
      return example;
    },
  });

/** Experiments on a shared dataset, by token. */
export const sharedExperimentsQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared-experiments', token],
    queryFn: ({ signal }) => get<Experiment[]>(`/public/${token}/datasets/sessions`, { signal }),
  });

export const sharedDatasetQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared-dataset', token],
    queryFn: ({ signal }) => get<Dataset>(`/public/${token}/datasets`, { signal }),
  });

export const sharedExamplesQuery = (token: string, offset: number) =>
  queryOptions({
    queryKey: ['shared-examples', token, offset],
    queryFn: ({ signal }) =>
      get<Example[]>(`/public/${token}/examples`, { query: { limit: EXAMPLES_PAGE + 1, offset }, signal }),
    placeholderData: keepPreviousData,
  });
