import type { Logger } from 'pino';
import { deployExamples } from './example-deployment.ts';
import { type Platform, platform } from './platform.ts';

export interface UpOptions {
  host?: string;
  port?: string;
}

/** Everything on this machine: the platform, with the example agents deployed. */
export const up = (options: UpOptions): Promise<void> =>
  platform({ role: 'all', ...options }, (started, log) => void introduce(started, log));

/** The platform is usable while the examples are being deployed. */
async function introduce({ url, apiKey, temporalUiUrl }: Platform, log: Logger): Promise<void> {
  const key = apiKey?.key;
  const addresses: [string, string][] = [
    ['Platform', url!],
    ['Console', `${url}/ (sign in with the API key)`],
  ];
  if (apiKey?.isNew) addresses.push(['API key', `${key} (shown this once)`]);
  try {
    if (!key) throw new Error('SLIPWAY_API_KEY is not set, and the first key is not kept here');
    const id = await deployExamples({ url: url!, key }, (message) => log.info(message));
    const agent = `${url}/d/${id}`;
    welcome(temporalUiUrl, [...addresses, ['Agent server', agent]], { agent, key: apiKey.inShell });
  } catch (error) {
    log.error({ err: error }, 'the example agents are not there');
    welcome(temporalUiUrl, addresses);
  }
}

function welcome(
  temporalUiUrl: string | undefined,
  addresses: [string, string][],
  example?: { agent: string; key: string },
): void {
  const [first] = addresses;
  const rows: [string, string][] = [
    ...addresses,
    ['API for people', `${first![1]}/docs`],
    ['Temporal UI', temporalUiUrl ?? 'as configured'],
  ];
  const body = `{"assistant_id":"agent","input":{"messages":[{"role":"user","content":"What is the weather in Lisbon?"}]}}`;
  const trial = example
    ? `
  Try it:

    curl -s ${example.agent}/runs/wait -H "x-api-key: ${example.key}" -H 'content-type: application/json' -d '${body}'
`
    : '';
  console.log(`
  Slipway is ready.

${rows.map(([name, value]) => `  ${name.padEnd(15)}${value}`).join('\n')}
${trial}`);
}
