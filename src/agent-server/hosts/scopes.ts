import { AsyncLocalStorage } from 'node:async_hooks';
import type { WriteUnit } from '../../graph-protocol/checkpoint-record.ts';
import type { CheckpointStorage } from '../../graph-protocol/checkpoint-storage.ts';
import type { User } from '../../graph-protocol/messages.ts';
import { isTransient } from '../../platform/db/database.ts';
import { RunFenced } from '../errors.ts';

export interface ScopeOptions {
  /** Checkpoints the call may read and write. */
  storage?: CheckpointStorage | undefined;
  /** Authenticates a request to the project's own routes. */
  admit?: (() => Promise<User | undefined>) | undefined;
}

/** What a host may do on behalf of one of the server's calls, for as long as the call lasts. */
export class Scope {
  /** Error that fails the call whatever the host returns: a database failure, or another attempt's claim. */
  failure: unknown;
  readonly #options: ScopeOptions;
  #written: Promise<void> = Promise.resolve();
  readonly #enter = AsyncLocalStorage.snapshot();

  constructor(options: ScopeOptions) {
    this.#options = options;
  }

  /** Accesses the call's checkpoints under the caller's encryption context. */
  async withStorage<Result>(work: (storage: CheckpointStorage) => Promise<Result>): Promise<Result> {
    const { storage } = this.#options;
    if (!storage) throw new Error('The call has no checkpoints');
    try {
      return await this.run(() => work(storage));
    } catch (error) {
      if (error instanceof RunFenced || isTransient(error)) this.failure ??= error;
      throw error;
    }
  }

  /** Stores checkpoints. `written` waits for it. */
  write(units: WriteUnit[]): Promise<void> {
    const stored = this.withStorage((storage) => storage.write(units));
    this.#written = Promise.all([this.#written, stored]).then(() => {});
    this.#written.catch(() => {});
    return stored;
  }

  /** Settles when all checkpoints are stored; throws if one was not. */
  written(): Promise<void> {
    return this.#written;
  }

  run<Result>(work: () => Result): Result {
    return this.#enter(work);
  }

  async admit(): Promise<User | undefined> {
    return this.run(() => this.#options.admit?.());
  }
}
