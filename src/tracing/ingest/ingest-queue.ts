import { isTransient, type Statement } from '../../platform/db/database.ts';
import { Busy } from '../errors.ts';
import { maskOperation } from './mask-operation.ts';
import type { Masks } from '../masking/masks.ts';
import { asTenant } from '../security/tenant-scope.ts';
import { foldOperations } from './folded-run.ts';
import type { RunOperation } from './run-operation.ts';
import type { RunWriter } from './run-writer.ts';

interface Waiting {
  tenantId: string;
  operations: RunOperation[];
  more: Statement[];
  resolve(): void;
  reject(error: unknown): void;
}

const WRITERS = 2;
const MAX_RUNS = 2_000;

/** Writes waiting batches of a tenant in one transaction. A batch is accepted when it is committed. */
export class IngestQueue {
  readonly #writer: RunWriter;
  readonly #masks: Masks;
  #waiting: Waiting[] = [];
  #writing = 0;

  constructor(writer: RunWriter, masks: Masks) {
    this.#writer = writer;
    this.#masks = masks;
  }

  /** Resolves when stored. `more` is written in the same transaction. Throws Busy. */
  add(tenantId: string, operations: RunOperation[], more: Statement[] = []): Promise<void> {
    if (operations.length + more.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tenantId, operations, more, resolve, reject });
      this.#start();
    });
  }

  #start(): void {
    while (this.#writing < WRITERS && this.#waiting.length > 0) {
      this.#writing++;
      void this.#write(this.#take()).finally(() => {
        this.#writing--;
        this.#start();
      });
    }
  }

  /** Takes the oldest batch and other batches of its tenant that fit in one write. */
  #take(): Waiting[] {
    const { tenantId } = this.#waiting[0]!;
    let runs = 0;
    const taken: Waiting[] = [];
    this.#waiting = this.#waiting.filter((batch) => {
      if (batch.tenantId !== tenantId || (taken.length > 0 && runs + batch.operations.length > MAX_RUNS))
        return true;
      runs += batch.operations.length;
      taken.push(batch);
      return false;
    });
    return taken;
  }

  async #write(batches: Waiting[]): Promise<void> {
    const { tenantId } = batches[0]!;
    const operations = batches.flatMap((batch) => batch.operations);
    const more = batches.flatMap((batch) => batch.more);
    try {
      // A write may start in another tenant's request, so the scope is set here.
      await asTenant(tenantId, async () => {
        const masks = await this.#masks.of(tenantId);
        if (masks.length > 0) for (const operation of operations) maskOperation(operation, masks);
        await this.#writer.write(tenantId, foldOperations(operations), more);
      });
      for (const { resolve } of batches) resolve();
    } catch (error) {
      // Writes batches separately, so that a bad one does not fail the others.
      if (batches.length > 1 && !isTransient(error)) for (const batch of batches) await this.#write([batch]);
      else for (const { reject } of batches) reject(isTransient(error) ? new Busy() : error);
    }
  }
}
