/** A moment in ms. Runs have times without an offset, which are UTC; Date.parse takes those for local. */
export const readTime = (at: string | number): number =>
  typeof at === 'number' ? at : Date.parse(/T[\d:.]+$/.test(at) ? `${at}Z` : at);
