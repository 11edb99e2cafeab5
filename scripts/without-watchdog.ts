// In Temporal's worker, the call that runs a workflow's code.
const ACTIVATION = /(callIntoVmScript\.runInContext\(context, \{)\s*timeout: isolateExecutionTimeoutMs,/g;

/**
 * Runs workflow code without a time limit: Node starts and ends a thread for each call that has one, which costs more
 * than most activations (docs/decisions/0025). Throws when Temporal's code has changed.
 */
export function withoutWatchdog(code: string): string {
  const calls = code.match(ACTIVATION) ?? [];
  if (calls.length !== 1)
    throw new Error(
      `Expected one call with a time limit in Temporal's reusable-vm.js, found ${calls.length}: adapt scripts/without-watchdog.ts`,
    );
  return code.replace(ACTIVATION, '$1');
}
