// Parameters that do not affect which rows are listed, so changing them keeps the page.
const VIEW_PARAMETERS = new Set(['offset', 'example', 'tab']);

/** Sets a query parameter; an empty value removes it. */
export const setParameter =
  (name: string, value: string) =>
  (before: URLSearchParams): URLSearchParams => {
    if (!VIEW_PARAMETERS.has(name)) before.delete('offset');
    if (value) before.set(name, value);
    else before.delete(name);
    return before;
  };
