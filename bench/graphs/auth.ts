import { Auth } from '@langchain/langgraph-sdk/auth';

/** Users own what they create, as in a typical project. */
export const auth = new Auth()
  .authenticate((request) => ({
    identity: request.headers.get('authorization')?.replace('Bearer ', '') ?? '',
    permissions: [],
  }))
  .on('*', ({ value, user }) => {
    const asked = value as { metadata?: Record<string, unknown> | null };
    asked.metadata = { ...asked.metadata, owner: user.identity };
    return { owner: user.identity };
  });
