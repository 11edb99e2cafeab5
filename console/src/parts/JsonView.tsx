import { useState } from 'react';
import { CopyButton } from './CopyButton.tsx';
import classes from './JsonView.module.css';

const OPEN_DEPTH = 3;
const LONG_TEXT = 400;

/** A collapsible tree of a JSON value, with a copy button. */
export const JsonView = ({ value, label = 'JSON' }: { value: unknown; label?: string }) => (
  <div className={classes.view} role="group" aria-label={label}>
    <div className={classes.copy}>
      <CopyButton text={JSON.stringify(value, null, 2)} label="Copy as JSON" />
    </div>
    <Node value={value} depth={0} />
  </div>
);

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const key = name !== undefined && <span className={classes.key}>{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div className={classes.leaf}>
        {key}
        <Leaf value={value} />
      </div>
    );
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0)
    return (
      <div className={classes.leaf}>
        {key}
        {open}
        {close}
      </div>
    );
  return (
    <details open={depth < OPEN_DEPTH} className={classes.branch}>
      <summary>
        {key}
        {open}
        <span className={classes.count}>{entries.length}</span>
        {close}
      </summary>
      {entries.map(([child, inner]) => (
        <Node key={child} name={child} value={inner} depth={depth + 1} />
      ))}
    </details>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const text = JSON.stringify(value) ?? 'undefined';
  if (text.length <= LONG_TEXT || isWhole)
    return <span data-type={value === null ? 'null' : typeof value}>{text}</span>;
  return (
    <span data-type="string">
      {text.slice(0, LONG_TEXT)}…{' '}
      <button type="button" className={classes.more} onClick={() => setWhole(true)}>
        all {text.length.toLocaleString('en')} characters
      </button>
    </span>
  );
}
