import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

const enabled = new Set();

for (const method of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    enabled.add(this);
    return original.apply(this, args);
  };
}

/**
 * Disables each AsyncLocalStorage that a test file used: Jest itself and many packages create one per file, and in
 * Node 20 and 22 every enabled one slows down every promise of the process until its end.
 */
export default class LeanEnvironment extends TestEnvironment {
  async teardown() {
    await super.teardown();
    for (const storage of enabled) storage.disable();
    enabled.clear();
  }
}
