const PAGE = 100;
const MAX = 1_000;

/** Reads all pages of a list, up to a limit. */
export async function readAll<Found>(
  readPage: (page: { limit: number; offset: number }) => Promise<Found[]>,
): Promise<Found[]> {
  const all: Found[] = [];
  for (;;) {
    const page = await readPage({ limit: PAGE, offset: all.length });
    all.push(...page);
    if (page.length < PAGE || all.length >= MAX) return all;
  }
}
