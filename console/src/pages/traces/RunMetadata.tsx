import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { Run } from '../../api/tracing-records.ts';
import { JsonView } from '../../parts/JsonView.tsx';
import classes from './RunPanel.module.css';

// Environment variables that clients send along.
const OF_PROCESS = /^LANG(?:SMITH|CHAIN)_/;

/** Tags and metadata, then other extra fields. */
export function RunMetadata({ run }: { run: Run }) {
  const { metadata = {}, ...rest } = run.extra;
  const entries = Object.entries(metadata).filter(([key]) => !OF_PROCESS.test(key));
  return (
    <>
      <h3 className={classes.part}>Tags</h3>
      {run.tags.length === 0 && <p className={classes.note}>None.</p>}
      <ul className={classes.tags}>
        {run.tags.map((tag) => (
          <li key={tag}>
            <Anchor
              component={Link}
              className={classes.tag}
              to={`/traces/${run.session_id}?all=1&filter=${encodeURIComponent(`has(tags, ${JSON.stringify(tag)})`)}`}
            >
              {tag}
            </Anchor>
          </li>
        ))}
      </ul>
      <h3 className={classes.part}>Metadata</h3>
      {entries.length === 0 && <p className={classes.note}>None.</p>}
      {entries.length > 0 && (
        <table className={classes.table}>
          <tbody>
            {entries.map(([key, value]) => (
              <tr key={key}>
                <th scope="row">{key}</th>
                <td>{typeof value === 'string' ? value : JSON.stringify(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {run.thread_id && (
        <p className={classes.note}>
          <Anchor
            component={Link}
            to={`/traces/${run.session_id}?filter=${encodeURIComponent(`eq(thread_id, ${JSON.stringify(run.thread_id)})`)}`}
          >
            All traces of this thread
          </Anchor>
        </p>
      )}
      {Object.keys(rest).length > 0 && (
        <>
          <h3 className={classes.part}>Runtime and parameters</h3>
          <JsonView value={rest} label="Runtime and parameters" />
        </>
      )}
    </>
  );
}
