const PAGE = 100;
const MOST = 1_000;

/** All records of a list that is told page by page; of very many, the first. */
export async function readAll<Found>(
  readPage: (page: { limit: number; offset: number }) => Promise<Found[]>,
): Promise<Found[]> {
  const all: Found[] = [];
  for (;;) {
    const page = await readPage({ limit: PAGE, offset: all.length });
    all.push(...page);
    if (page.length < PAGE || all.length >= MOST) return all;
  }
}
