import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

// Temporal's worker records the stack of each promise a workflow makes, only for the query `__stack_trace` and at a
// third of the thread's time. Workflow details and pending activities show what a workflow waits for.
globalHandlers['setPromiseHook'] = () => undefined;

await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
