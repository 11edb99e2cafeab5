import type { ProtocolVersion } from './protocol-version.ts';
import type { ArtifactUpdate, Message, Part, StatusUpdate, Task, TaskStatus } from './task.ts';

/** How a protocol version formats responses. */
export interface Spelling {
  version: ProtocolVersion;
  /** A stream ends when the task asks for input, not just when it is over. */
  questionEndsStream: boolean;
  task(task: Task): object;
  /** Formats a task as the answer to a message, or as a stream event. */
  sentTask(task: Task): object;
  statusUpdate(update: StatusUpdate): object;
  artifactUpdate(update: ArtifactUpdate): object;
}

const asItIs = (value: object): object => value;

export const V0_3: Spelling = {
  version: '0.3',
  questionEndsStream: true,
  task: asItIs,
  sentTask: asItIs,
  statusUpdate: asItIs,
  artifactUpdate: asItIs,
};

const part = ({ kind: _kind, ...rest }: Part): object => rest;

const message = ({ kind: _kind, role, parts, ...rest }: Message): object => ({
  ...rest,
  role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
  parts: parts.map(part),
});

const status = ({ state, message: sent, ...rest }: TaskStatus): object => ({
  ...rest,
  state: `TASK_STATE_${state.toUpperCase().replace('-', '_')}`,
  ...(sent && { message: message(sent) }),
});

const artifact = ({ parts, ...rest }: ArtifactUpdate['artifact']): object => ({
  ...rest,
  parts: parts.map(part),
});

function task({ kind: _kind, status: now, history, artifacts, ...rest }: Task): object {
  return {
    ...rest,
    status: status(now),
    history: history.map(message),
    ...(artifacts && { artifacts: artifacts.map(artifact) }),
  };
}

export const V1_0: Spelling = {
  version: '1.0',
  questionEndsStream: false,
  task,
  sentTask: (value) => ({ task: task(value) }),
  // The state and the closed stream mark the end.
  statusUpdate: ({ kind: _kind, final: _final, status: now, ...rest }) => ({
    statusUpdate: { ...rest, status: status(now) },
  }),
  artifactUpdate: ({ kind: _kind, artifact: made, ...rest }) => ({
    artifactUpdate: { ...rest, artifact: artifact(made) },
  }),
};
