import type { Access } from './access.ts';
import { parseFilter } from './filter-parser.ts';
import type { AuthorizeRequest } from '../../graph-protocol/messages.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';
import { Forbidden } from '../refusal.ts';

interface Authorized {
  answer: unknown;
  value: object;
}

/** Calls the most specific of the project's handlers (contract §13.1). */
export function projectAuthorize(hosts: GraphHosts, events: readonly string[]): Access['authorize'] {
  const handled = new Set(events);
  return async (caller, resource, action, value) => {
    const event = `${resource}:${action}`;
    if (![event, resource, `*:${action}`, '*'].some((name) => handled.has(name))) return undefined;
    const user = caller.user ?? { identity: '', display_name: '', is_authenticated: false, permissions: [] };
    const { permissions } = user;
    const request: AuthorizeRequest = { event, resource, action, value, permissions, user };
    const { answer, value: left } = await hosts.call<Authorized>('auth.authorize', request);
    replaceContent(value, left);
    if (answer === undefined || answer === null || answer === true) return undefined;
    if (answer === false) throw new Forbidden();
    if (typeof answer !== 'object' || Array.isArray(answer))
      throw new Error(`The authorization handler of ${event} returned neither a boolean nor a filter`);
    return parseFilter(answer as Record<string, unknown>);
  };
}

/** Handlers may change the value in place. */
function replaceContent(value: object, left: object): void {
  for (const key of Object.keys(value)) {
    if (!(key in left)) Reflect.deleteProperty(value, key);
  }
  Object.assign(value, left);
}
