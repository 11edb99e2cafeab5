/** Where feedback for a run is sent, per key (contract §5.3): the address that collects it for this run and key. */
export const feedbackUrls = (runId: string, keys: string[]): Record<string, string> =>
  Object.fromEntries(keys.map((key) => [key, `/feedback/tokens/${runId}/${encodeURIComponent(key)}`]));
