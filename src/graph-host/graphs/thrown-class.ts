import { errorClass } from '../../platform/redaction/public-failure.ts';

const MARK = 'pregelTaskId';

/**
 * Sets an error's name to its class when it leaves a task. The engine stores a task's error as `{message, name}`; a
 * subclass without its own name would count as an `Error`, whose message callers may see. Every engine since 1.0 first
 * marks the error with its task, which triggers this setter. Applies to the whole process.
 */
export function nameThrownErrors(): void {
  // oxlint-disable-next-line no-extend-native -- the engine has no other hook before it copies the error
  Object.defineProperty(Error.prototype, MARK, {
    configurable: true,
    set(this: Error, taskId: unknown) {
      define(this, MARK, taskId, true);
      if (this.name === 'Error') define(this, 'name', errorClass(this) || 'anonymous', false);
    },
  });
}

// Never throws: the error may be frozen.
const define = (error: Error, key: string, value: unknown, enumerable: boolean): boolean =>
  Reflect.defineProperty(error, key, { value, enumerable, configurable: true, writable: true });
