import { validateHeaderName, validateHeaderValue } from 'node:http';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';

const DEFAULT_PREFIX = 'LG_WEBHOOK_';
// These belong to the connection or the message; configuring them would make every delivery fail.
const FORBIDDEN = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const TEMPLATE = /\$\{\{(.*?)\}\}/g;

/**
 * The headers sent with every webhook, with `${{ env.NAME }}` filled in (contract §12). Throws InvalidProject with a
 * one-line message for the first invalid header.
 */
export function readWebhookHeaders(
  headers: Record<string, string> = {},
  env: NodeJS.ProcessEnv,
  prefix = DEFAULT_PREFIX,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, template]) => {
      const where = `webhooks.headers.${name}`;
      const value = template.replaceAll(TEMPLATE, (_, expression: string) =>
        variable(expression.trim(), { where, env, prefix }),
      );
      refuseMalformed(where, name, value);
      return [name.toLowerCase(), value];
    }),
  );
}

interface Lookup {
  where: string;
  env: NodeJS.ProcessEnv;
  prefix: string;
}

function variable(expression: string, { where, env, prefix }: Lookup): string {
  const name = /^env\.(\w+)$/.exec(expression)?.[1];
  if (!name)
    throw new InvalidProject(`${where}: \${{ ${expression} }} is not understood; write \${{ env.NAME }}`);
  if (!name.startsWith(prefix))
    throw new InvalidProject(`${where}: ${name} is not allowed: its name must start with ${prefix}`);
  const value = env[name];
  if (!value) throw new InvalidProject(`${where}: ${name} is not set in the environment`);
  return value;
}

// Omits the value: it may be a secret.
function refuseMalformed(where: string, name: string, value: string): void {
  if (FORBIDDEN.has(name.toLowerCase())) throw new InvalidProject(`${where} is set by the HTTP client`);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new InvalidProject(`${where} cannot be sent as an HTTP header`);
  }
}
