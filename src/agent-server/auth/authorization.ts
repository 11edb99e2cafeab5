import type { Access } from './access.ts';
import { parseFilter } from './filter-parser.ts';
import type { HandlerRequest, ProjectAuth } from '../../graph-host/auth/project-auth.ts';
import { asRefusal, Forbidden } from './refusal.ts';

/** Asks the project's handlers: the most exact one that is there decides (contract §13.1). */
export function projectAuthorize({ callbacks }: ProjectAuth): Access['authorize'] {
  return async (caller, resource, action, value) => {
    const event = `${resource}:${action}`;
    const handler = callbacks[event] ?? callbacks[resource] ?? callbacks[`*:${action}`] ?? callbacks['*'];
    if (!handler) return undefined;
    const user = caller.user ?? { identity: '', display_name: '', is_authenticated: false, permissions: [] };
    const request = { event, resource, action, value, permissions: user.permissions, user };
    const answer = await ask(handler, request);
    if (answer === undefined || answer === null || answer === true) return undefined;
    if (answer === false) throw new Forbidden();
    if (typeof answer !== 'object' || Array.isArray(answer))
      throw new Error(`The authorization handler of ${event} returned neither a boolean nor a filter`);
    return parseFilter(answer as Record<string, unknown>);
  };
}

async function ask(handler: (request: HandlerRequest) => unknown, request: HandlerRequest): Promise<unknown> {
  try {
    return await handler(request);
  } catch (error) {
    throw asRefusal(error) ?? error;
  }
}
