import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { userInProcess } from '../in-process/in-process-api.ts';
import type { AgentProject } from '../hosts/agent-project.ts';
import type { GraphHosts } from '../hosts/graph-hosts.ts';
import { projectAuthenticate } from './authentication.ts';
import { projectAuthorize } from './authorization.ts';
import type { Caller } from '../caller.ts';
import { headerPicker } from './header-patterns.ts';

/** Actions to authorize, by resource (contract §13.1). */
export interface AuthActions {
  threads: 'create' | 'read' | 'update' | 'delete' | 'search' | 'create_run';
  assistants: 'create' | 'read' | 'update' | 'delete' | 'search';
  crons: 'create' | 'read' | 'update' | 'delete' | 'search';
  store: 'put' | 'get' | 'search' | 'list_namespaces' | 'delete';
}

/** Authentication and authorization. Every entry point of the server uses this. */
export interface Access {
  /**
   * Identifies the sender; the project's own code acts as its user. Throws the errors of the project's
   * `authenticate`.
   */
  authenticate(request: IncomingMessage): Promise<Caller>;
  /**
   * Asks the project whether the caller may act, and returns the rows it may access; undefined means all. `value` is
   * the request as defined in the contract (§13.1); the project may change it in place. Throws Forbidden or the
   * project's errors.
   */
  authorize<Resource extends keyof AuthActions>(
    caller: Caller,
    resource: Resource,
    action: AuthActions[Resource],
    value: object,
  ): Promise<RowFilter | undefined>;
}

/** The project's access rules; without `auth.path` everything is open. */
export function createAccess(
  project: Pick<AgentProject, 'config' | 'description'>,
  hosts: GraphHosts,
  log: Logger,
): Access {
  const pick = headerPicker(project.config.http?.configurable_headers);
  const { auth } = project.description;
  if (!auth) {
    return {
      authenticate: async ({ headers }) => ({ configurable: pick(headers) }),
      authorize: async () => undefined,
    };
  }
  const config = project.config.auth!;
  if (!config.disable_studio_auth)
    log.warn(
      'anyone who sends x-auth-scheme: langsmith is the Studio user; auth.disable_studio_auth ends that',
    );
  const authenticate = projectAuthenticate(hosts, config);
  return {
    async authenticate(request) {
      const user = userInProcess(request) ?? (await authenticate(request));
      return {
        user,
        configurable: {
          ...pick(request.headers),
          langgraph_auth_user: user,
          langgraph_auth_user_id: user.identity,
          langgraph_auth_permissions: user.permissions,
        },
      };
    },
    authorize: projectAuthorize(hosts, auth.events),
  };
}
