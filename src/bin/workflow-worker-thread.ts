import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';

// Temporal's worker keeps, for each promise a workflow makes, the stack it was made on: for the query `__stack_trace`
// alone, and for a third of the thread's time. What a workflow waits for is in its details and pending activities.
globalHandlers['setPromiseHook'] = () => undefined;

await import('@temporalio/worker/lib/workflow/workflow-worker-thread.js');
