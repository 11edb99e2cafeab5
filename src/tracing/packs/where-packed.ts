/**
 * What is said of runs of tracing.any_run, `r`, so that packs without them are not read: it changes nothing else. `ids` and
 * `said` are SQL of lists; see the keys of INSERT_PACK.
 */
export const hasId = (r: string, ids: string): string =>
  `${r}.pack_keys && tracing.pack_keys(${ids}::uuid[])`;
export const hasSaid = (r: string, said: string): string =>
  `${r}.pack_keys && tracing.pack_keys(${said}::text[])`;
export const ofThread = (r: string, thread: string): string => hasSaid(r, `array['thread:' || ${thread}]`);
