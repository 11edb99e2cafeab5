import { JsonView } from '../../parts/JsonView.tsx';
import classes from './Conversation.module.css';
import type { Playground } from './use-playground.ts';

/** Output of graphs without messages. */
export function Output({ playground: { stream } }: { playground: Playground }) {
  const { __interrupt__: _asked, ...values } = stream.values;
  if (Object.keys(values).length > 0)
    return (
      <div
        className={classes.output}
        role="region"
        aria-label="Output"
        tabIndex={0}
        aria-busy={stream.isLoading}
      >
        <JsonView value={values} label="Output" />
      </div>
    );
  return (
    <div className={classes.messages}>
      <p className={classes.empty}>
        {stream.isLoading
          ? 'Running. Steps are shown on the right.'
          : 'The output appears here. Enter an input and run the graph.'}
      </p>
    </div>
  );
}
