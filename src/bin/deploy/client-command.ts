import { type AccessOptions, readAccess } from '../../deploy-client/client-settings.ts';
import { nameOf } from '../../deploy-client/deployment-name.ts';
import { EXIT, Misused } from '../../deploy-client/outcome.ts';
import { PlatformApi, Refused, Unreachable } from '../../deploy-client/platform-api.ts';
import { jsonReport, type Report, textReport } from '../../deploy-client/progress.ts';
import type { Deployment } from '../../deploy-client/records.ts';
import { findDeployment } from '../../deploy-client/submit-revision.ts';
import { isUuid } from '../../platform/ids.ts';
import { InvalidSetting } from '../../platform/settings.ts';

export interface ClientOptions extends AccessOptions {
  json?: boolean;
  /** Name or id of the deployment. */
  name?: string;
  preview?: string;
}

export interface Client {
  api: PlatformApi;
  report: Report;
  /** The deployment the options name. Throws Misused. */
  deployment(): Promise<Deployment>;
}

// Statuses that the caller can fix.
const USAGE_STATUSES = new Set([400, 401, 403, 404, 422]);

/** Runs a command against a platform. The exit code reports the outcome, and one line on standard error the reason. */
export async function askPlatform(
  options: ClientOptions,
  command: (client: Client) => Promise<number>,
): Promise<void> {
  try {
    const api = new PlatformApi(readAccess(options, process.env));
    const report = options.json ? jsonReport : textReport;
    process.exitCode = await command({ api, report, deployment: () => named(api, options) });
  } catch (error) {
    const usage = error instanceof Misused || error instanceof InvalidSetting;
    if (!usage && !(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
    const refused = error instanceof Refused && USAGE_STATUSES.has(error.status);
    process.exitCode = usage || refused ? EXIT.usage : EXIT.failed;
    if (options.json) console.log(JSON.stringify({ event: 'error', message: error.message }));
    else console.error(`slipway: ${error.message}`);
  }
}

async function named(api: PlatformApi, { name, preview }: ClientOptions): Promise<Deployment> {
  if (name && isUuid(name)) return api.get<Deployment>(`/v2/deployments/${name}`);
  const whole = await nameOf({ name, folder: '.', preview });
  const found = await findDeployment(api, whole);
  if (!found) throw new Misused(`There is no deployment named '${whole}'; name one with --name`);
  return found;
}
