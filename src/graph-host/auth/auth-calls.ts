import type { AuthorizeRequest, HttpHead } from '../../graph-protocol/messages.ts';
import { asRefused } from '../host-error.ts';
import type { HostDeps } from '../host-deps.ts';

/** The user, as the project's handler names it. Throws Refused. */
export async function authenticate({ auth }: HostDeps, { method, url, headers }: HttpHead): Promise<unknown> {
  try {
    return await auth!.authenticate(new Request(url, { method, headers }));
  } catch (error) {
    // What a handler throws is its answer; the reason is for the log of the project.
    throw asRefused(error) ?? asRefused({ status: 401, message: 'Unauthorized' });
  }
}

export interface Authorized {
  answer: unknown;
  /** As the handler left it. */
  value: object;
}

/** What the most exact handler that is there decides (contract §13.1). Throws Refused. */
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
