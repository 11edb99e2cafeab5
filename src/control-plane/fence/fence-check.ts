import type { Finding } from '../../platform/embedded/doctor.ts';
import type { FenceSettings } from './configured-rules.ts';
import { findFence } from './fence.ts';

/** Checks by trial whether agents and builds can be fenced off here. */
export async function checkFence(settings: FenceSettings): Promise<Finding> {
  const name = 'network fence';
  const turnsOff = 'serving more than one tenant; a single tenant can still build and deploy';
  try {
    const { detail, missing } = await findFence(settings);
    return { name, ok: !missing, detail: missing ?? detail, ...(missing && { turns_off: turnsOff }) };
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message };
  }
}
