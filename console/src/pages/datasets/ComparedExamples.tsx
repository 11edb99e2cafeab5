import { Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { comparedQuery } from '../../api/tracing-experiments.ts';
import type { Experiment } from '../../api/tracing-records.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { EmptyState } from '../../parts/EmptyState.tsx';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Icon } from '../../parts/Icon.tsx';
import classes from './ComparedExamples.module.css';
import { ComparedRow } from './ComparedRow.tsx';
import { exampleName } from './example-columns.tsx';
import { WholeExample } from './WholeExample.tsx';

const ROW_HEIGHT = 132;
// Rows before the end at which the next page is fetched.
const AHEAD = 15;

/** Table of examples and their results, virtualised and loaded while scrolling. */
export function ComparedExamples({
  datasetId,
  experiments,
  sort,
  lowerIsBetter,
  onRemove,
}: {
  datasetId: string;
  experiments: Experiment[];
  sort: string;
  lowerIsBetter: string[];
  onRemove: (id: string) => void;
}) {
  const ids = experiments.map(({ id }) => id);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    comparedQuery(datasetId, ids, sort),
  );
  const [opened, setOpened] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const rows = data?.pages.flat();
  const virtual = useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 4,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= (rows?.length ?? 0) - AHEAD) void fetchNextPage();
  }, [last, rows?.length, hasNextPage, isFetchingNextPage]);

  if (error)
    return <ErrorNotice error={error} title="Could not load examples" onRetry={() => void refetch()} />;
  if (!rows) return <Skeleton height={400} />;
  if (rows.length === 0) return <EmptyState title="This dataset has no examples" />;
  const span = 2 + experiments.length;
  return (
    <>
      <div ref={box} className={classes.box} role="region" aria-label="Examples compared" tabIndex={0}>
        <table className={classes.table} aria-rowcount={hasNextPage ? -1 : rows.length + 1}>
          <thead>
            <tr>
              <th scope="col">Inputs</th>
              <th scope="col">Reference outputs</th>
              {experiments.map(({ id, name }, index) => (
                <th key={id} scope="col">
                  <span className={classes.head}>
                    <span className="truncate" title={name}>
                      {name}
                    </span>
                    {index === 0 && experiments.length > 1 && <span className={classes.first}>first</span>}
                    {experiments.length > 1 && (
                      <button
                        type="button"
                        className={classes.remove}
                        aria-label={`Remove ${name}`}
                        onClick={() => onRemove(id)}
                      >
                        <Icon name="close" size={12} />
                      </button>
                    )}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Space height={items[0]?.start ?? 0} span={span} />
            {items.map(({ index }) => (
              <ComparedRow
                key={rows[index]!.id}
                ref={virtual.measureElement}
                index={index}
                example={rows[index]!}
                experiments={experiments}
                lowerIsBetter={lowerIsBetter}
                onOpen={setOpened}
              />
            ))}
            <Space height={virtual.getTotalSize() - (items.at(-1)?.end ?? 0)} span={span} />
          </tbody>
        </table>
        {isFetchingNextPage && <Skeleton height={ROW_HEIGHT / 2} />}
      </div>
      <Dialog
        isOpen={opened !== undefined}
        onClose={() => setOpened(undefined)}
        size="xl"
        title={`Example ${exampleName(opened ?? '')}`}
      >
        {opened && <WholeExample datasetId={datasetId} exampleId={opened} experiments={experiments} />}
      </Dialog>
    </>
  );
}

const Space = ({ height, span }: { height: number; span: number }) =>
  height > 0 && (
    <tr aria-hidden="true">
      <td colSpan={span} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
