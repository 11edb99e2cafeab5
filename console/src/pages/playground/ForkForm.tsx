import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import type { ThreadState } from '@langchain/langgraph-sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { JsonInput } from '../../parts/JsonInput.tsx';
import { jsonText, objectFault, readJson } from '../../parts/json-text.ts';
import { RunError } from './RunError.tsx';
import type { Playground, State } from './use-playground.ts';

/** Edits the state at a checkpoint. Only changed keys are written, because reducers would add others again. */
export function ForkForm({
  state,
  playground,
  onDone,
}: {
  state: ThreadState;
  playground: Playground;
  onDone: () => void;
}) {
  const before = state.values as State;
  const [text, setText] = useState(() => jsonText(before));
  const [asNode, setAsNode] = useState('');
  const fault = objectFault(text);
  const changed = fault ? {} : changesOf(before, (readJson(text) ?? {}) as State);
  const names = Object.keys(changed);
  const saving = useMutation({
    mutationFn: () => playground.fork(state.checkpoint, changed, asNode || undefined),
    onSuccess: onDone,
  });
  const nodes = [...new Set(playground.checkpoints.flatMap(({ tasks }) => tasks.map(({ name }) => name)))];
  return (
    <Stack gap="xs">
      <JsonInput
        label="State"
        description="Reducers decide whether lists are extended or replaced. Messages are matched by id."
        rows={12}
        value={text}
        onChange={setText}
        error={fault}
      />
      <NativeSelect
        size="xs"
        label="Write as node"
        value={asNode}
        onChange={(event) => setAsNode(event.currentTarget.value)}
        data={[{ value: '', label: 'The last node' }, ...nodes.filter((name) => !name.startsWith('__'))]}
      />
      <RunError error={saving.error} />
      <Group gap="xs">
        <Button
          disabled={names.length === 0 || fault !== undefined}
          loading={saving.isPending}
          onClick={() => saving.mutate()}
        >
          Save as branch
        </Button>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <span role="status">{names.length > 0 && `Changes ${names.join(', ')}`}</span>
      </Group>
    </Stack>
  );
}

const changesOf = (before: State, after: State): State =>
  Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  );
