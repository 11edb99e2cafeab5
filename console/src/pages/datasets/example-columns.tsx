import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { Example } from '../../api/tracing-records.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { TimeText } from '../../parts/TimeText.tsx';
import { brief } from './brief.ts';
import classes from './datasets.module.css';

/** Short id of an example, as SDKs show it. */
export const exampleName = (id: string): string => `#${id.slice(-8)}`;

const text = (value: unknown) => <div className={classes.brief}>{brief(value) || '–'}</div>;

/** Columns of example tables. `linkOf` returns the link to an example. */
export const exampleColumns = (linkOf: (id: string) => string): Column<Example>[] => [
  {
    id: 'example',
    header: 'Example',
    width: '100px',
    cell: ({ id }) => (
      <Anchor component={Link} to={linkOf(id)} className="mono" preventScrollReset>
        {exampleName(id)}
      </Anchor>
    ),
  },
  { id: 'inputs', header: 'Inputs', cell: ({ inputs }) => text(inputs) },
  { id: 'outputs', header: 'Reference outputs', cell: ({ outputs }) => text(outputs) },
  {
    id: 'split',
    header: 'Split',
    width: '110px',
    wideOnly: true,
    cell: ({ metadata }) => metadata.dataset_split?.join(', ') ?? '–',
  },
  {
    id: 'changed',
    header: 'Changed',
    align: 'right',
    width: '120px',
    wideOnly: true,
    cell: ({ modified_at }) => <TimeText at={modified_at} />,
  },
];
