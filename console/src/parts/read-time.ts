/** Parses a time to ms. Times of runs lack an offset and are UTC, but Date.parse would read them as local. */
export const readTime = (at: string | number): number =>
  typeof at === 'number' ? at : Date.parse(/T[\d:.]+$/.test(at) ? `${at}Z` : at);
