import { mkdir } from 'node:fs/promises';
import type { Finding } from '../../../platform/embedded/doctor.ts';
import { removeTree } from '../../builds/remove-tree.ts';
import { makeMemoryGroup } from './memory-group.ts';
import { findSandbox } from './sandbox.ts';

const PROBE = 'doctor';
const PROBE_MB = 64;

/** Checks how the process driver isolates agents on this machine. */
export async function checkIsolation(dataDir: string): Promise<Finding> {
  const made = await mkdir(dataDir, { recursive: true }).catch(() => undefined);
  const { detail, missing } = await findSandbox(dataDir);
  if (made) await removeTree(made);
  const group = await makeMemoryGroup(PROBE, PROBE_MB);
  await group?.remove();
  const limit = group
    ? 'their memory is limited by control groups'
    : 'only their JavaScript heap is limited, because control groups cannot be created here';
  return {
    name: 'agent isolation',
    ok: !missing && group !== undefined,
    detail: `${missing ?? detail}; ${limit}`,
    ...((missing || !group) && {
      turns_off: 'running agents of users who do not trust each other; your own still deploy',
    }),
  };
}
