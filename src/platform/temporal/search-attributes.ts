import type { Temporal } from './connection.ts';

// Of the server's enum IndexedValueType.
const KEYWORD = 2;
const KEYWORD_LIST = 7;

/** What an operator finds a thread's workflow by; declared in workflows/thread.ts and thread-workflows.ts. */
const ATTRIBUTES = {
  SlipwayDeployment: KEYWORD,
  SlipwayAssistant: KEYWORD,
  SlipwayGraph: KEYWORD,
  SlipwayRunIds: KEYWORD_LIST,
};

/**
 * Registers the search attributes where they are missing. Returns false where the namespace does not let us
 * (Temporal Cloud without the right): workflows then go without.
 */
export async function registerSearchAttributes({ connection, namespace }: Temporal): Promise<boolean> {
  const { operatorService } = connection;
  const known = async () => {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    return Object.keys(ATTRIBUTES).every((name) => name in customAttributes);
  };
  try {
    if (await known()) return true;
    await operatorService.addSearchAttributes({ namespace, searchAttributes: ATTRIBUTES });
    // The server takes a moment to know what it was told.
    for (let tries = 0; tries < 50 && !(await known()); tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    return await known();
  } catch {
    return false;
  }
}
