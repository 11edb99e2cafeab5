import { errorClass } from '../../platform/redaction/public-failure.ts';

const MARK = 'pregelTaskId';

/**
 * Gives errors that leave a task the name of their class. The engine stores a task's error as `{message, name}`, where
 * a subclass without a name of its own is an `Error`, whose message callers may see. Every engine since 1.0 first marks
 * the error with its task, which is when the setter runs. Holds for the whole process.
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
