import { checkContainerFence } from '../control-plane/drivers/docker/container-fence-check.ts';
import { checkIsolation } from '../control-plane/drivers/process/isolation-check.ts';
import { checkFence } from '../control-plane/fence/fence-check.ts';
import { diagnose } from '../platform/embedded/doctor.ts';

/** Exits with 0 when everything a server needs is available. */
export async function doctor({ json }: { json?: boolean }): Promise<void> {
  const dataDir = process.env['SLIPWAY_DATA_DIR'] || '.slipway';
  const checks = [await checkIsolation(dataDir), await checkFence(process.env)];
  if (process.env['SLIPWAY_DRIVER'] === 'docker') checks.push(await checkContainerFence(process.env));
  const findings = [...(await diagnose(process.env)), ...checks];
  if (json) console.log(JSON.stringify({ findings }));
  else
    for (const { ok, name, detail, turns_off } of findings) {
      console.log(
        `${ok ? 'ok     ' : 'missing'} ${name}: ${detail}${!ok && turns_off ? ` (turns off: ${turns_off})` : ''}`,
      );
    }
  process.exitCode = findings.every(({ ok, turns_off }) => ok || turns_off) ? 0 : 1;
}
