import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts';
import { ExampleNotFound } from '../errors.ts';
import { nextVersion } from './dataset-versions.ts';
import * as repository from './example-repository.ts';

/** Removes examples from the current version; older versions keep them. Throws ExampleNotFound. */
export async function deleteExamples(db: Database, tenantId: string, ids: string[]): Promise<void> {
  await eachDataset(db, tenantId, ids, repository.endExamples);
}

/** Removes examples from every version. Throws ExampleNotFound. */
export async function eraseExamples(db: Database, tenantId: string, ids: string[]): Promise<void> {
  await eachDataset(db, tenantId, ids, (tx, tenant, _asOf, of) => repository.eraseExamples(tx, tenant, of));
}

async function eachDataset(
  db: Database,
  tenantId: string,
  ids: string[],
  change: (tx: Queryable, tenantId: string, asOf: string, ids: string[]) => Promise<void>,
): Promise<void> {
  const datasets = await repository.datasetsOfExamples(db, tenantId, ids);
  const missing = ids.find((id) => !datasets.has(id));
  if (missing) throw new ExampleNotFound(missing);
  await inTransaction(db, async (tx) => {
    for (const datasetId of [...new Set(datasets.values())].sort()) {
      const of = ids.filter((id) => datasets.get(id) === datasetId);
      await change(tx, tenantId, await nextVersion(tx, tenantId, datasetId), of);
    }
  });
}
