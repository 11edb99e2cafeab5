import { Anchor, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { wholeExampleQuery } from '../../api/tracing-experiments.ts';
import type { Experiment } from '../../api/tracing-records.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { JsonView } from '../../parts/JsonView.tsx';
import { runPath } from '../traces/run-columns.tsx';
import classes from './WholeExample.module.css';

/** An example and the complete outputs of all experiments. */
export function WholeExample({
  datasetId,
  exampleId,
  experiments,
}: {
  datasetId: string;
  exampleId: string;
  experiments: Experiment[];
}) {
  const ids = experiments.map(({ id }) => id);
  const { data: example, error } = useQuery(wholeExampleQuery(datasetId, ids, exampleId));
  if (error) return <ErrorNotice error={error} title="Could not load the example" />;
  if (!example) return <Skeleton height={360} />;
  return (
    <div className={classes.parts}>
      <Part title="Inputs">
        <JsonView value={example.inputs} label="Inputs" />
      </Part>
      <Part title="Reference outputs">
        <JsonView value={example.outputs} label="Reference outputs" />
      </Part>
      {experiments.map(({ id, name }) =>
        example.runs
          .filter(({ session_id }) => session_id === id)
          .map((run) => (
            <Part key={run.id} title={name}>
              {run.error && <pre className={classes.error}>{run.error}</pre>}
              <JsonView value={run.outputs} label={`Outputs of ${name}`} />
              {Object.entries(run.feedback_stats).flatMap(([key, { comments }]) =>
                comments.map((comment) => (
                  <p key={`${key} ${comment}`} className={classes.comment}>
                    {key}: {comment}
                  </p>
                )),
              )}
              <Anchor component={Link} to={runPath(run)} size="sm">
                Trace
              </Anchor>
            </Part>
          )),
      )}
      <Anchor component={Link} to={`/datasets/${datasetId}?example=${exampleId}`} size="sm">
        Edit this example
      </Anchor>
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className={classes.part}>
    <h3 className={classes.title}>{title}</h3>
    {children}
  </section>
);
