import type { Temporal } from './connection.ts';

// Values of the server's enum IndexedValueType.
const KEYWORD = 2;
const KEYWORD_LIST = 7;

/** Search attributes of thread workflows; set in workflows/runs/thread.ts and thread-workflows.ts. */
const ATTRIBUTES = {
  SlipwayDeployment: KEYWORD,
  SlipwayAssistant: KEYWORD,
  SlipwayGraph: KEYWORD,
  SlipwayRunIds: KEYWORD_LIST,
};

/**
 * Registers missing search attributes. Returns false without the permission (possible in Temporal Cloud); workflows
 * then do without them.
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
    // Registration takes effect with a delay.
    for (let tries = 0; tries < 50 && !(await known()); tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    return await known();
  } catch {
    return false;
  }
}
