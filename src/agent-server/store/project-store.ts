import { passesFilter, type RowFilter } from '../../platform/db/row-filter.ts';
import { BadRequest } from '../../platform/errors.ts';
import type {
  FoundItem,
  StoreItem,
  StoreOperation,
  StoreResult,
} from '../../graph-protocol/store-messages.ts';
import type { RunBatch } from './store-batch.ts';
import { ItemNotFound } from './store-errors.ts';
import { filteredFields } from './store-item.ts';

/** Operations on the store at `store.path`, which its host runs. */
export function projectStoreBatch(
  carryOut: (operations: StoreOperation[]) => Promise<StoreResult[]>,
): RunBatch {
  const run = async (operation: StoreOperation) => (await carryOut([operation]))[0];
  return (operations, reach) =>
    Promise.all(operations.map((operation) => (reach ? runWithin(run, operation, reach) : run(operation))));
}

type Run = (operation: StoreOperation) => Promise<StoreResult>;

/** The project's store knows no access filters, so its results are filtered here. */
async function runWithin(run: Run, operation: StoreOperation, reach: RowFilter): Promise<StoreResult> {
  switch (operation.action) {
    case 'get': {
      const item = (await run(operation)) as StoreItem | null;
      if (item && !passesFilter(filteredFields(item), reach)) throw new ItemNotFound();
      return item;
    }
    case 'search':
      return scan<FoundItem>(run, operation, (item) => passesFilter(filteredFields(item), reach));
    case 'list_namespaces':
      return scan<string[]>(run, operation, (namespace) => passesFilter({ namespace }, reach));
    default:
      return run(operation);
  }
}

const SCAN_PAGE = 1_000;
const MOST_SCANNED = 10_000;

/** Throws BadRequest if filling the page would take too many reads. */
async function scan<Found>(
  run: Run,
  operation: StoreOperation & { action: 'search' | 'list_namespaces' },
  passes: (found: Found) => boolean,
): Promise<StoreResult> {
  const end = operation.offset + operation.limit;
  const passing: Found[] = [];
  for (let offset = 0; passing.length < end; offset += SCAN_PAGE) {
    if (offset === MOST_SCANNED)
      throw new BadRequest(`More than ${MOST_SCANNED} entries to filter; narrow the namespace or the filter`);
    const page = (await run({ ...operation, offset, limit: SCAN_PAGE })) as Found[];
    passing.push(...page.filter(passes));
    if (page.length < SCAN_PAGE) break;
  }
  return passing.slice(operation.offset, end) as StoreResult;
}
