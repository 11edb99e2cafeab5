import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { limitsQuery, rateLimitsQuery } from '../../api/workspace.ts';
import type { RateLimitUse } from '../../api/workspace-records.ts';
import { bytesText } from '../../parts/bytes-text.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { durationText } from '../../parts/Duration.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { Section } from '../../parts/Section.tsx';
import classes from './WorkspacePage.module.css';

const WHO = { key: 'this key', user: 'this user', ip: 'this address' };

const COLUMNS: Column<RateLimitUse>[] = [
  { id: 'category', header: 'What', sortBy: ({ category }) => category, cell: ({ category }) => category },
  { id: 'row', header: 'Row', sortBy: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
  { id: 'who', header: 'Counted by', cell: ({ identity }) => WHO[identity], wideOnly: true },
  {
    id: 'limit',
    header: 'Allowed',
    align: 'right',
    sortBy: ({ count, interval }) => count / interval,
    cell: ({ count, interval }) => (
      <span className="numeric">
        {count.toLocaleString('en')} in {durationText(interval * 1000)}
      </span>
    ),
    wideOnly: true,
  },
  {
    id: 'used',
    header: 'Used',
    align: 'right',
    sortBy: ({ count, remaining }) => (count - remaining) / count,
    cell: ({ category, count, remaining }) => (
      <span className={classes.meter}>
        <span className="numeric">{(count - remaining).toLocaleString('en')}</span>
        <Progress
          w={80}
          size="sm"
          value={(100 * (count - remaining)) / count}
          color={remaining === 0 ? 'red' : 'accent'}
          aria-label={`${category}, used`}
        />
      </span>
    ),
  },
];

export function Component() {
  const { data: limits, error } = useQuery(limitsQuery);
  const { data: rates, error: rateError } = useQuery(rateLimitsQuery);
  return (
    <>
      <PageHeader title="Limits">Set by the platform’s configuration; see the README.</PageHeader>
      <ErrorNotice error={error ?? rateError} title="Could not load limits" />
      <Section title="Quotas">
        <Facts
          facts={[
            ['Deployments', limits ? `${limits.deployments.used} of ${limits.deployments.limit}` : '…'],
            ['Replicas per revision', limits?.replicas ?? '…'],
            ['Previews per deployment', limits?.previews ?? '…'],
            ['Maximum upload size', limits ? bytesText(limits.upload_bytes) : '…'],
            ['Image storage per deployment', limits ? bytesText(limits.registry_bytes) : '…'],
            ['Build timeout', limits ? durationText(limits.build_seconds * 1000) : '…'],
          ]}
        />
      </Section>
      <Section title="Tracing rate limits">
        <DataTable
          label="Rate limits"
          columns={COLUMNS}
          rows={rates}
          rowId={({ id }) => id}
          empty={<EmptyState title="No rate limits">SLIPWAY_RATE_LIMITS is off.</EmptyState>}
        />
      </Section>
    </>
  );
}
