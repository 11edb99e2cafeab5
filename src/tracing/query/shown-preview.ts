import type { Bodies } from '../bodies/block-reader.ts';
import { hasReplaced } from '../runs/exact-texts.ts';
import type { BodyColumn } from '../runs/run-columns.ts';
import { previewOf } from '../messages/preview.ts';
import { locationsOf, type RunRow } from '../runs/run-row.ts';

const SIDES = ['inputs', 'outputs'] as const;
type Side = (typeof SIDES)[number];

/** Older versions stored '' instead of a preview; compute those from the body. */
const isMade = (row: RunRow, side: Side): boolean => row[`${side}_preview`] === '' && row[side] !== null;

/** Locations of the selected bodies and of those needed for previews. */
export const locationsToRead = (
  row: RunRow,
  wanted: readonly BodyColumn[],
  shows: (name: string) => boolean = () => true,
): string[] => [
  ...wanted.flatMap((column) => locationsOf(row, column)),
  ...(hasReplaced(row) && !wanted.includes('extra') ? locationsOf(row, 'extra') : []),
  ...SIDES.flatMap((side) => (isMade(row, side) && shows(`${side}_preview`) ? row[side]! : [])),
];

/** The preview of a run; null if the body it needs was not read. */
export function shownPreview(row: RunRow, side: Side, bodies: Bodies): string | null {
  if (!isMade(row, side)) return row[`${side}_preview`] || null;
  const body = bodies.get(row[side]!);
  return (body && previewOf(JSON.parse(body.toString('utf8')), side)) ?? null;
}
