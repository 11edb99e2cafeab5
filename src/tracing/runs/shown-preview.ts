import type { Bodies } from '../bodies/block-reader.ts';
import { hasReplaced } from '../ingest/exact-texts.ts';
import type { BodyColumn } from '../ingest/run-columns.ts';
import { previewOf } from '../messages/preview.ts';
import { placesOf, type RunRow } from './run-row.ts';

const SIDES = ['inputs', 'outputs'] as const;
type Side = (typeof SIDES)[number];

/** Older versions stored some runs with '' instead of a preview; theirs are made from the body. */
const isMade = (row: RunRow, side: Side): boolean => row[`${side}_preview`] === '' && row[side] !== null;

/** Where what is shown of a run is read: its bodies that are wanted, and those that previews are made of. */
export const placesToRead = (
  row: RunRow,
  wanted: readonly BodyColumn[],
  shows: (name: string) => boolean = () => true,
): string[] => [
  ...wanted.flatMap((column) => placesOf(row, column)),
  ...(hasReplaced(row) && !wanted.includes('extra') ? placesOf(row, 'extra') : []),
  ...SIDES.flatMap((side) => (isMade(row, side) && shows(`${side}_preview`) ? row[side]! : [])),
];

/** The preview of a run; null where the body that it is made of was not read. */
export function shownPreview(row: RunRow, side: Side, bodies: Bodies): string | null {
  if (!isMade(row, side)) return row[`${side}_preview`] || null;
  const body = bodies.get(row[side]!);
  return (body && previewOf(JSON.parse(body.toString('utf8')), side)) ?? null;
}
