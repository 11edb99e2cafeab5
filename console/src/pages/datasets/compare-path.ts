/** Path of the comparison, in the form that SDKs print. */
export const comparePath = (datasetId: string, experiments: string[]): string =>
  `/datasets/${datasetId}/compare?selectedSessions=${experiments.join(',')}`;
