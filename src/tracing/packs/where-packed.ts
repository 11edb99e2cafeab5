// Postgres leaves this out for rows that are not packed.
const isIn = (r: string, packs: string): string => `(${r}.pack = 0 or ${r}.pack = any(${packs}))`;

/**
 * What is said of runs of tracing.any_run, `r`, so that packs without them are not read: it changes nothing else. `ids` and
 * `said` are SQL of lists, the same for every run; see the keys of INSERT_PACK.
 */
export const hasId = (r: string, ids: string): string => isIn(r, `tracing.packs_with_ids(${ids}::uuid[])`);
export const hasSaid = (r: string, said: string): string => isIn(r, `tracing.packs_saying(${said}::text[])`);
export const ofThread = (r: string, thread: string): string => hasSaid(r, `array['thread:' || ${thread}]`);
