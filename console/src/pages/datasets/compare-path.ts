/** Where experiments are shown side by side, as the field's clients print it. */
export const comparePath = (datasetId: string, experiments: string[]): string =>
  `/datasets/${datasetId}/compare?selectedSessions=${experiments.join(',')}`;
