import type { Figures } from '../../api/control-plane-records.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Duration } from '../../parts/Duration.tsx';

const percent = (part: number, whole: number): string =>
  whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : '–';

/** Compares metrics of revisions. */
export function FiguresTable({ figures, nameOf }: { figures: Figures[]; nameOf: (id: string) => string }) {
  const columns: Column<Figures>[] = [
    { id: 'revision', header: 'Revision', cell: ({ revision_id }) => nameOf(revision_id) },
    { id: 'requests', header: 'Requests', align: 'right', cell: ({ requests }) => requests },
    {
      id: 'failed',
      header: 'Failed',
      align: 'right',
      cell: ({ failed, requests }) => percent(failed, requests),
    },
    { id: 'runs', header: 'Runs', align: 'right', cell: ({ runs }) => runs, wideOnly: true },
    {
      id: 'failed_runs',
      header: 'Failed runs',
      align: 'right',
      cell: ({ failed_runs, runs }) => percent(failed_runs, runs),
      wideOnly: true,
    },
    {
      id: 'p50',
      header: 'p50',
      align: 'right',
      cell: ({ p50_ms }) => <Duration ms={p50_ms} />,
      wideOnly: true,
    },
    { id: 'p95', header: 'p95', align: 'right', cell: ({ p95_ms }) => <Duration ms={p95_ms} /> },
  ];
  return (
    <div className="numeric" style={{ marginTop: 12 }}>
      <DataTable
        label="Revision metrics"
        columns={columns}
        rows={figures}
        rowId={({ revision_id }) => revision_id}
      />
    </div>
  );
}
