import { Button, Group } from '@mantine/core';
import type { ThreadState } from '@langchain/langgraph-sdk';
import { useState } from 'react';
import { JsonView } from '../../parts/JsonView.tsx';
import { ForkForm } from './ForkForm.tsx';
import classes from './HistoryPanel.module.css';
import type { Playground } from './use-playground.ts';

/** State at a checkpoint, with actions to rerun or fork from it. */
export function CheckpointView({ state, playground }: { state: ThreadState; playground: Playground }) {
  const [isForking, setForking] = useState(false);
  const checkpoint = state.checkpoint;
  const isBusy = playground.stream.isLoading;
  return (
    <div className={classes.detail}>
      {!isForking && (
        <Group gap="xs">
          {state.next.length > 0 && (
            <Button disabled={isBusy} onClick={() => void playground.replay({ ...checkpoint })}>
              Run from here
            </Button>
          )}
          <Button variant="default" disabled={isBusy} onClick={() => setForking(true)}>
            Edit state
          </Button>
        </Group>
      )}
      {isForking ? (
        <ForkForm state={state} playground={playground} onDone={() => setForking(false)} />
      ) : (
        <JsonView value={state.values} label="State at this checkpoint" />
      )}
    </div>
  );
}
