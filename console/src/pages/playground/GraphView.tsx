import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { graphQuery } from '../../api/agent-assistants.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { layOut } from './graph-layout.ts';
import classes from './GraphView.module.css';
import { nodeOf, type Step } from './steps.ts';

/** Drawing of the graph that highlights the steps of a run. */
export default function GraphView({
  deploymentId,
  assistantId,
  steps,
}: {
  deploymentId: string;
  assistantId: string;
  steps: Step[];
}) {
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery(graphQuery(deploymentId, assistantId, isOpen));
  const layout = useMemo(() => data && layOut(data), [data]);
  // A node shows its last step; a collapsed subgraph shows its own step.
  const states = new Map(steps.map((step) => [nodeOf(step), step.status]));
  return (
    <>
      <Switch
        size="xs"
        label="Expand subgraphs"
        checked={isOpen}
        onChange={(event) => setOpen(event.currentTarget.checked)}
      />
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {layout && (
        <div className={classes.box} tabIndex={0} role="region" aria-label="Drawing of the graph">
          <svg
            className={classes.drawing}
            viewBox={`0 0 ${layout.width} ${layout.height}`}
            style={{ maxWidth: layout.width }}
            role="img"
            aria-label={wordsOf(layout.nodes.map(({ label }) => label))}
          >
            <defs>
              <marker
                id="arrow"
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="7"
                markerHeight="7"
                orient="auto"
              >
                <path d="M0 0 8 4 0 8z" className={classes.arrow} />
              </marker>
            </defs>
            {layout.groups.map(({ id, label, x, y, width, height }) => (
              <g key={id} className={classes.group}>
                <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx={8} />
                <text x={x - width / 2 + 8} y={y - height / 2 + 14}>
                  {label}
                </text>
              </g>
            ))}
            {layout.lines.map(({ id, path, isConditional, label, at }) => (
              <g key={id} className={classes.line} data-conditional={isConditional || undefined}>
                <path d={path} markerEnd="url(#arrow)" />
                {label && (
                  <text x={at.x} y={at.y}>
                    {label}
                  </text>
                )}
              </g>
            ))}
            {layout.nodes.map(({ id, label, x, y, width, height }) => (
              <g
                key={id}
                className={classes.node}
                data-state={states.get(id)}
                data-end={id.startsWith('__') || undefined}
              >
                <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx={6} />
                <text x={x} y={y} dominantBaseline="central" textAnchor="middle">
                  {label}
                </text>
              </g>
            ))}
          </svg>
        </div>
      )}
    </>
  );
}

const wordsOf = (labels: string[]): string => `Graph of ${labels.length} nodes: ${labels.join(', ')}`;
