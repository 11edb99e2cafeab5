import { Fragment } from 'react';
import type { Run } from '../../api/tracing-records.ts';
import { Cost } from '../../parts/Cost.tsx';
import { Count } from './numbers.tsx';
import classes from './RunPanel.module.css';

/** Tokens and cost with details such as cache reads and reasoning. */
export function UsageTable({ run }: { run: Run }) {
  if (run.total_tokens === null && run.total_cost === null)
    return (
      <p className={classes.note}>
        No usage recorded. Model calls report usage, and roots show the total of their trace.
      </p>
    );
  const sides = [
    {
      name: 'Input',
      tokens: run.prompt_tokens,
      cost: run.prompt_cost,
      tokenParts: run.prompt_token_details ?? {},
      costParts: run.prompt_cost_details ?? {},
    },
    {
      name: 'Output',
      tokens: run.completion_tokens,
      cost: run.completion_cost,
      tokenParts: run.completion_token_details ?? {},
      costParts: run.completion_cost_details ?? {},
    },
  ];
  return (
    <>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col" data-align="right">
              Tokens
            </th>
            <th scope="col" data-align="right">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {sides.map(({ name, tokens, cost, tokenParts, costParts }) => (
            <Fragment key={name}>
              <Row name={name} tokens={tokens} cost={cost} />
              {[...new Set([...Object.keys(tokenParts), ...Object.keys(costParts)])].map((part) => (
                <Row key={part} name={part} tokens={tokenParts[part]} cost={costParts[part]} isPart />
              ))}
            </Fragment>
          ))}
          <Row name="Total" tokens={run.total_tokens} cost={run.total_cost} isTotal />
        </tbody>
      </table>
      {run.usage_estimated && (
        <p className={classes.note}>
          The provider did not report token counts. These are estimated from the text.
        </p>
      )}
      {run.total_cost === null && (
        <p className={classes.note}>
          No price is known for this model. Add one under Model prices in the workspace settings.
        </p>
      )}
    </>
  );
}

interface RowProps {
  name: string;
  tokens: number | null | undefined;
  cost: string | number | null | undefined;
  isPart?: boolean;
  isTotal?: boolean;
}

const Row = ({ name, tokens, cost, isPart, isTotal }: RowProps) => (
  <tr data-part={isPart} data-total={isTotal}>
    <th scope="row">{isPart ? name.replaceAll('_', ' ') : name}</th>
    <td data-align="right">
      <Count value={tokens} />
    </td>
    <td data-align="right">
      <Cost usd={cost} />
    </td>
  </tr>
);
