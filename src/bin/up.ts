import type { Logger } from 'pino';
import { LINK_MINUTES } from '../control-plane/access/sign-in-link.ts';
import { rememberKeyFile } from '../deploy-client/local-key.ts';
import { isLoopback } from '../platform/network-address.ts';
import { commandName, printBanner } from './banner.ts';
import { deployExamples } from './example-deployment.ts';
import { type Platform, platform } from './platform.ts';

export interface UpOptions {
  host?: string;
  port?: string;
}

/** Everything on this machine: the platform, with the example agents deployed. */
export const up = (options: UpOptions): Promise<void> =>
  platform({ role: 'all', ...options }, (started, log) => void introduce(started, log));

async function introduce(started: Platform, log: Logger): Promise<void> {
  const { apiKey, settings } = started;
  const token = isReachedHereOnly(started) ? await signInToken(started, log) : undefined;
  const url = settings.SLIPWAY_PUBLIC_URL;
  if (apiKey?.file) rememberKeyFile(String(settings.PORT), apiKey.file, process.env);
  printBanner(
    `Slipway is ready.${token ? ` The link signs you in once, within ${LINK_MINUTES} minutes.` : ''}`,
    [
      ['Console', token ? `${url}/sign-in#link=${token}` : url],
      ['API', `${url} (documentation: ${url}/docs)`],
      ['API key', keptAt(started)],
      ['Next', `${commandName()} init my-agent (Ctrl+C stops the platform)`],
    ],
  );
  await addExamples(started, log);
}

/** Links are for people on this machine: others neither reach it nor see its terminal. */
function isReachedHereOnly({ settings }: Platform): boolean {
  return isLoopback(settings.HOST) && isLoopback(new URL(settings.SLIPWAY_PUBLIC_URL).hostname);
}

function signInToken(started: Platform, log: Logger): Promise<string | undefined> {
  return started.signInToken().catch((error: unknown) => {
    log.warn({ err: error }, 'could not create a sign-in link');
    return undefined;
  });
}

function keptAt({ apiKey }: Platform): string {
  if (!apiKey?.file) return 'in SLIPWAY_API_KEY';
  return apiKey.key ? `in ${apiKey.file}` : `no longer in ${apiKey.file}; use one you have`;
}

/** The platform is usable while the examples are being deployed. */
async function addExamples({ url, apiKey, settings }: Platform, log: Logger): Promise<void> {
  try {
    if (!apiKey?.key) throw new Error('SLIPWAY_API_KEY is not set, and the first key is not stored here');
    const id = await deployExamples({ url: url!, key: apiKey.key }, (message) => log.info(message));
    log.info(`the example agents respond at ${settings.SLIPWAY_PUBLIC_URL}/d/${id}`);
  } catch (error) {
    log.error({ err: error }, 'could not deploy the example agents');
  }
}
