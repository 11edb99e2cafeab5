import { Auth } from '@langchain/langgraph-sdk/auth';

/** Everyone owns what they make: what a typical project asks of authorization. */
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
