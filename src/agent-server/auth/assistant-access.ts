import type { AgentDeps } from '../agent-deps.ts';
import type { Caller } from '../caller.ts';
import type { Assistant } from '../records/assistant.ts';
import { requireAssistant } from '../records/assistant-reference.ts';

/** Throws AssistantNotFound. */
export async function readAssistant(
  { access, db }: Pick<AgentDeps, 'access' | 'db'>,
  caller: Caller,
  ref: string,
): Promise<Assistant> {
  const reach = await access.authorize(caller, 'assistants', 'read', { assistant_id: ref });
  return requireAssistant(db, ref, reach);
}
