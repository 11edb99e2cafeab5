import type { AuthorizeRequest, HttpHead, User } from '../../graph-protocol/messages.ts';
import { asRefused, Refused } from '../host-error.ts';
import type { HostDeps } from '../host-deps.ts';

/** The user returned by the project's handler. Throws Refused. */
export async function authenticate({ auth }: HostDeps, { method, url, headers }: HttpHead): Promise<User> {
  try {
    return asUser(await auth!.authenticate(new Request(url, { method, headers })));
  } catch (error) {
    // A handler's error is its answer; the reason goes to the project's log.
    throw asRefused(error) ?? new Refused(401, 'Unauthorized');
  }
}

function asUser(answer: unknown): User {
  const given = typeof answer === 'string' ? { identity: answer } : (answer ?? {});
  const { identity, permissions, ...rest } = given as Record<string, unknown>;
  if (typeof identity !== 'string' || rest['is_authenticated'] === false)
    throw new Refused(401, 'Unauthorized');
  return {
    display_name: identity,
    is_authenticated: true,
    ...rest,
    identity,
    permissions: Array.isArray(permissions) ? permissions.map(String) : [],
  };
}

export interface Authorized {
  answer: unknown;
  /** As the handler left it. */
  value: object;
}

/** Calls the most specific handler (contract §13.1). Throws Refused. */
export async function authorize({ auth }: HostDeps, request: AuthorizeRequest): Promise<Authorized> {
  const { callbacks } = auth!;
  const { event, resource, action, value } = request;
  const handler = callbacks[event] ?? callbacks[resource] ?? callbacks[`*:${action}`] ?? callbacks['*'];
  try {
    return { answer: (await handler?.(request)) ?? null, value };
  } catch (error) {
    throw asRefused(error) ?? error;
  }
}
