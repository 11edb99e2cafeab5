import { defineError } from '../platform/errors.ts';

// Never rename these: each name is also the Temporal failure type in retry policies.
export const AssistantNotFound = defineError(
  'AssistantNotFound',
  404,
  (id: string) => `Assistant ${id} not found`,
);
export const AssistantExists = defineError(
  'AssistantExists',
  409,
  (id: string) => `Assistant ${id} already exists`,
);
export const VersionNotFound = defineError(
  'VersionNotFound',
  404,
  (id: string, version: number) => `Version ${version} of assistant ${id} not found`,
);
export const GraphNotFound = defineError(
  'GraphNotFound',
  404,
  (id: string, known: string[]) => `Graph '${id}' not found. Expected one of: ${known.join(', ')}`,
);
export const GraphFixed = defineError(
  'GraphFixed',
  422,
  (id: string) => `The assistant of graph '${id}' cannot run another graph; create another assistant`,
);
export const GraphUnreadable = defineError(
  'GraphUnreadable',
  422,
  (id: string) => `Graph '${id}' cannot be read: its own code failed`,
);
export const ThreadNotFound = defineError('ThreadNotFound', 404, (id: string) => `Thread ${id} not found`);
export const ThreadExists = defineError('ThreadExists', 409, (id: string) => `Thread ${id} already exists`);
export const ThreadBusy = defineError(
  'ThreadBusy',
  409,
  () => 'Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
);
export const RunNotFound = defineError('RunNotFound', 404, (id: string) => `Run ${id} not found`);
export const NoRunsToCancel = defineError('NoRunsToCancel', 404, () => 'No runs found to cancel.');
export const CancelDeadlock = defineError(
  'CancelDeadlock',
  409,
  (id: string) => `Run ${id} was not cancelled because of a concurrent request`,
);
export const StateBusy = defineError(
  'StateBusy',
  409,
  () => 'Thread is busy with a running job. Wait for it to finish before you update its state.',
);
export const SourceUnreadable = defineError(
  'SourceUnreadable',
  409,
  (id: string) => `Thread ${id} cannot be copied`,
);
export const CheckpointNotFound = defineError(
  'CheckpointNotFound',
  404,
  (id: string) => `Checkpoint ${id} not found`,
);
export const CronNotFound = defineError('CronNotFound', 404, (id: string) => `Cron ${id} not found`);
export const DeliveryNotFound = defineError(
  'DeliveryNotFound',
  404,
  (id: string) => `Webhook delivery ${id} not found`,
);
export const DeliveryOver = defineError(
  'DeliveryOver',
  409,
  (id: string) => `Webhook delivery ${id} has already been delivered`,
);
/** A later attempt has claimed the run: this attempt's writes no longer count. */
export const RunFenced = defineError(
  'RunFenced',
  409,
  (id: string) => `Run ${id} was taken over by another attempt`,
);
