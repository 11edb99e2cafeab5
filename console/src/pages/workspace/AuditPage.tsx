import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { AUDIT_PAGE, auditQuery, verifyAudit } from '../../api/workspace.ts';
import type { AuditEntry } from '../../api/workspace-records.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { useSearch } from '../../parts/use-search.ts';
import { AuditTarget } from './AuditTarget.tsx';
import { AuditDetail } from './AuditDetail.tsx';

const COLUMNS: Column<AuditEntry>[] = [
  {
    id: 'number',
    header: 'No.',
    width: '60px',
    cell: ({ number }) => <span className="numeric">{number}</span>,
    wideOnly: true,
  },
  { id: 'at', header: 'Time', cell: ({ at }) => <TimeText at={at} /> },
  { id: 'actor', header: 'Actor', cell: ({ actor }) => actor, wideOnly: true },
  { id: 'action', header: 'Action', cell: ({ action }) => <code>{action}</code> },
  { id: 'target', header: 'Target', cell: ({ target }) => <AuditTarget target={target} />, wideOnly: true },
  { id: 'detail', header: 'Detail', align: 'right', cell: (entry) => <AuditDetail entry={entry} /> },
];

const FILTERS = [
  ['actor', 'Actor'],
  ['action', 'Action, e.g. createDeployment'],
  ['target', 'Target, e.g. deployment/<id>'],
] as const;

export function Component() {
  const [search, setSearch] = useSearch();
  const of = (name: string): string => search.get(name) ?? '';
  const offset = Number(of('offset')) || 0;
  const filter = { actor: of('actor'), action: of('action'), target: of('target'), offset };
  const { data, error, refetch } = useQuery(auditQuery(filter));
  const verifying = useMutation({ mutationFn: verifyAudit });
  const set = (name: string, value: string): void =>
    setSearch(
      (before) => {
        before.delete('offset');
        if (value) before.set(name, value);
        else before.delete(name);
        return before;
      },
      { replace: true },
    );
  const isFiltered = filter.actor || filter.action || filter.target;
  return (
    <>
      <PageHeader
        title="Audit log"
        actions={
          <Button variant="default" loading={verifying.isPending} onClick={() => verifying.mutate()}>
            Verify
          </Button>
        }
      >
        All changes, in a tamper-evident hash chain.
      </PageHeader>
      <ErrorNotice
        error={error ?? verifying.error}
        title="Could not load the audit log"
        onRetry={() => void refetch()}
      />
      {verifying.data && (
        <Alert
          mb="md"
          variant="light"
          role="status"
          color={verifying.data.valid ? 'accent' : 'red'}
          title={verifying.data.valid ? 'The log is intact' : `Broken at entry ${verifying.data.broken_at}`}
        >
          {verifying.data.entries} entries; the head is{' '}
          <code style={{ overflowWrap: 'anywhere' }}>{verifying.data.head}</code>
        </Alert>
      )}
      <Group mb="sm" gap="xs">
        {FILTERS.map(([name, label]) => (
          <TextInput
            key={name}
            size="xs"
            aria-label={label}
            placeholder={label}
            style={{ flex: '1 1 150px', maxWidth: 260 }}
            value={filter[name]}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ))}
      </Group>
      {!error && (
        <DataTable
          label="Changes"
          columns={COLUMNS}
          rows={data?.resources}
          rowId={({ number }) => String(number)}
          empty={<EmptyState title={isFiltered ? 'No matching changes' : 'No changes yet'} />}
        />
      )}
      {(offset > 0 || data?.resources.length === AUDIT_PAGE) && (
        <Group mt="sm" gap="xs">
          <Button
            variant="default"
            disabled={offset === 0}
            onClick={() => set('offset', offset > AUDIT_PAGE ? String(offset - AUDIT_PAGE) : '')}
          >
            Newer
          </Button>
          <Button
            variant="default"
            disabled={(data?.resources.length ?? 0) < AUDIT_PAGE}
            onClick={() => set('offset', String(offset + AUDIT_PAGE))}
          >
            Older
          </Button>
        </Group>
      )}
    </>
  );
}
