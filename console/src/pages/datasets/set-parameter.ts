// What does not change which rows there are, and so leaves the page of them.
const BESIDE = new Set(['offset', 'example', 'tab']);

/** A change of one of an address's parameters; an empty one is taken away. */
export const setParameter =
  (name: string, value: string) =>
  (before: URLSearchParams): URLSearchParams => {
    if (!BESIDE.has(name)) before.delete('offset');
    if (value) before.set(name, value);
    else before.delete(name);
    return before;
  };
