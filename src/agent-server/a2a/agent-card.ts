import type { Context } from 'koa';
import type { AgentDeps } from '../agent-deps.ts';
import type { Assistant } from '../assistants/assistant.ts';

const MODES = ['application/json', 'text/plain'];

/** What the agent is and where it is reached, of both protocol versions (contract §11.4). */
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

const modes = (given: unknown): string[] =>
  Array.isArray(given) && given.length > 0 && given.every((mode) => typeof mode === 'string') ? given : MODES;

/** Where the caller reaches an agent: the host it asked, which proxies tell in headers. */
export function agentUrl(ctx: Context, assistantId: string): string {
  const first = (header: string) => ctx.get(header).split(',')[0]!.trim();
  const forwarded = first('x-forwarded-proto').toLowerCase();
  const protocol = forwarded === 'https' || forwarded === 'http' ? forwarded : ctx.protocol;
  const host = first('x-forwarded-host') || ctx.get('host');
  return `${protocol}://${host}/a2a/${encodeURIComponent(assistantId)}`;
}
