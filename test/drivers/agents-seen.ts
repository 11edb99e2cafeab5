import type { StartRequest } from '../../src/control-plane/drivers/driver.ts';
import type { Queryable } from '../../src/platform/db/database.ts';
import { GREETER } from '../control-plane/control-plane-fixture.ts';
import { until } from '../support/until.ts';
import type { DriverUnderTest } from './driver-conformance.ts';

const WORK = `const held = Buffer.alloc(1e8, 1);
  setInterval(() => { for (const end = Date.now() + 30; Date.now() < end;) held[0]++; }, 100);`;

/** An agent that uses 100 MB and nearly a third of a core. */
export const BUSY = { ...GREETER, 'agent.js': WORK + GREETER['agent.js'] };

/** Starts it and measures until about that usage is recorded. */
export async function untilMeasured(
  db: Queryable,
  { driver, measure, request }: DriverUnderTest & { request: StartRequest },
): Promise<void> {
  await driver.start(request);
  await until('both are noted', async () => {
    await measure();
    const { rows } = await db.query<{ cpu: number | null; memory_mb: number | null }>(
      'select cpu, memory_mb from control_plane.instance where revision_id = $1',
      [request.revision.id],
    );
    const { cpu, memory_mb } = rows[0]!;
    return (cpu ?? 0) > 0.05 && cpu! < 4 && (memory_mb ?? 0) > 100 && memory_mb! < 600;
  });
}

/** Whether nothing responds there any more. */
export const gone = async (url: string): Promise<boolean> =>
  !(await fetch(`${url}/ok`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined));
