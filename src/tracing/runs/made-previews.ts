import type { Bodies } from '../bodies/block-reader.ts';
import type { BodyColumn } from '../ingest/run-columns.ts';
import { previewOf } from '../messages/preview.ts';
import type { RunRow } from './run-row.ts';

const SIDES = ['inputs', 'outputs'] as const;
type Side = (typeof SIDES)[number];

const isMissing = (row: RunRow, side: Side): boolean => row[`${side}_preview`] === null && row[side] !== null;

/** Where what is shown of a run is read: its bodies that are wanted, and those that previews are made of. */
export const placesToRead = (
  row: RunRow,
  wanted: readonly BodyColumn[],
  shows: (name: string) => boolean = () => true,
): string[] => [
  ...wanted.flatMap((column) => row[column] ?? []),
  ...SIDES.flatMap((side) => (isMissing(row, side) && shows(`${side}_preview`) ? row[side]! : [])),
];

/** The preview of a run, made of its body where it is packed: packs have none. */
export const madePreview = (row: RunRow, side: Side, bodies: Bodies): string | null =>
  isMissing(row, side) ? readPreview(bodies.get(row[side]!), side) : row[`${side}_preview`];

export const readPreview = (body: Buffer | undefined, side: Side): string | null =>
  (body && previewOf(JSON.parse(body.toString('utf8')), side)) ?? null;
