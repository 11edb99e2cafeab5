import { type PublicFailure, publicFailure } from '../../platform/redaction/public-failure.ts';

/**
 * Keeps the public form of errors from a run's tools. The engine reduces such an error to text without its class:
 * message and stack in records of the `events` mode, the message in events of the protocol.
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
      // For equal messages, the first failure is kept.
      if (!this.#failures.has(message)) this.#failures.set(message, failure);
    },
  };

  /** The failure by id of the tool's run, or by message. */
  of(key: unknown): PublicFailure | undefined {
    return typeof key === 'string' ? this.#failures.get(key) : undefined;
  }
}

const messageOf = (error: unknown): string => {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
};
