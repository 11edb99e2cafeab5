import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { publicAddress } from '../../platform/http/public-address.ts';
import type { AgentDeps } from '../agent-deps.ts';
import type { Assistant } from '../records/assistant.ts';

const MODES = ['application/json', 'text/plain'];

/** The agent's description and URL, for both protocol versions (contract §11.4). */
export function agentCard({ project }: AgentDeps, assistant: Assistant, url: string): object {
  const { assistant_id, name, version, metadata, graph_id } = assistant;
  const description =
    assistant.description ?? project.graphs.get(graph_id)?.description ?? `The assistant ${name}`;
  const own = (metadata['a2a'] ?? {}) as { input_modes?: unknown; output_modes?: unknown };
  const [inputModes, outputModes] = [modes(own.input_modes), modes(own.output_modes)];
  return {
    name,
    description,
    url,
    version: String(version),
    protocolVersion: '0.3.0',
    preferredTransport: 'JSONRPC',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    skills: [{ id: assistant_id, name, description, tags: ['assistant', graph_id], inputModes, outputModes }],
  };
}

/** Lets clients cache a card for a minute and then revalidate it; returns undefined if it is unchanged. */
export function sendCard(ctx: Context, card: object): object | undefined {
  const etag = `"${createHash('sha256').update(JSON.stringify(card)).digest('base64url')}"`;
  // Private, because the card contains the URL its caller used, and only some callers may see it.
  ctx.set({ etag, 'cache-control': 'private, max-age=60' });
  // Not Koa's `fresh`: fetch adds `Cache-Control: no-cache` to conditional requests, which would force a full
  // response.
  const known = ctx
    .get('if-none-match')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (!known.includes(etag) && !known.includes('*')) return card;
  ctx.status = 304;
  return undefined;
}

const modes = (given: unknown): string[] =>
  Array.isArray(given) && given.length > 0 && given.every((mode) => typeof mode === 'string') ? given : MODES;

/** The agent's URL as the caller sees it, through any proxies. */
export function agentUrl({ project }: AgentDeps, ctx: Context, assistantId: string): string {
  const { protocol, host, prefix } = publicAddress(ctx);
  const mount = project.config.http?.mount_prefix?.replace(/\/+$/, '') ?? '';
  return `${protocol}://${host}${prefix}${mount}/a2a/${encodeURIComponent(assistantId)}`;
}
