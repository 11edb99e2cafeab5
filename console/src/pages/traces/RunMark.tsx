import type { RunStatus } from '../../api/tracing-records.ts';
import classes from './RunMark.module.css';

const SHORT: Record<string, string> = {
  llm: 'LLM',
  chain: 'CHN',
  tool: 'TOOL',
  retriever: 'RTV',
  embedding: 'EMB',
  prompt: 'PRM',
  parser: 'PRS',
};
const STATUS: Record<RunStatus, string> = { pending: 'running', success: 'succeeded', error: 'failed' };

/** Type and status of a run, by colour and as text for screen readers. */
export const RunMark = ({ type, status }: { type: string; status: RunStatus }) => (
  <span className={classes.mark} data-type={type} data-status={status} title={`${type}, ${STATUS[status]}`}>
    <span aria-hidden="true">{SHORT[type] ?? type.slice(0, 3).toUpperCase()}</span>
    <span className="visually-hidden">
      {type}, {STATUS[status]}
    </span>
    {status !== 'success' && (
      <span className={classes.state} aria-hidden="true">
        {status === 'error' ? '!' : '…'}
      </span>
    )}
  </span>
);
