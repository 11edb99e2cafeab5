import { type PublicFailure, publicFailure } from '../../platform/redaction/public-failure.ts';

/**
 * What callers may see of the errors of a run's tools. The engine turns such an error into text, without its class:
 * in records of the `events` mode its message and stack, in events of the protocol its message.
 */
export class ToolFailures {
  readonly #failures = new Map<string, PublicFailure>();

  /** A callback handler of the engine; runs before the engine's own. */
  readonly handler = {
    awaitHandlers: true,
    handleToolError: (error: unknown, runId: string): void => {
      const failure = publicFailure(error);
      this.#failures.set(runId, failure);
      const message = messageOf(error);
      // An equal message keeps the failure that was shown first.
      if (!this.#failures.has(message)) this.#failures.set(message, failure);
    },
  };

  /** The failure of a tool's run, or that with this message. */
  of(key: unknown): PublicFailure | undefined {
    return typeof key === 'string' ? this.#failures.get(key) : undefined;
  }
}

const messageOf = (error: unknown): string => {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
};
