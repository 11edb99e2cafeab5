import type { AuthorizeRequest } from '../../graph-protocol/messages.ts';
import type { Project } from '../project/project.ts';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';

/** Handlers in an `Auth` object of the SDK. */
export interface ProjectAuth {
  authenticate: (request: Request) => unknown;
  callbacks: Record<string, (request: AuthorizeRequest) => unknown>;
}

/** Loads the project's `auth.path`, if set. Throws InvalidProject. */
export async function loadProjectAuth(
  project: Pick<Project, 'config' | 'import'>,
): Promise<ProjectAuth | undefined> {
  const path = project.config.auth?.path;
  if (path === undefined) return undefined;
  const auth = (await project.import('auth.path', path)) as { '~handlerCache'?: Partial<ProjectAuth> } | null;
  const handlers = auth?.['~handlerCache'];
  if (typeof handlers?.authenticate !== 'function') {
    throw new InvalidProject(
      `auth.path: ${path} is no Auth object with an authenticate handler; export new Auth().authenticate(…) of @langchain/langgraph-sdk/auth`,
    );
  }
  return { authenticate: handlers.authenticate, callbacks: handlers.callbacks ?? {} };
}
