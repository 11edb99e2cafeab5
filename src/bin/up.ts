import { fileURLToPath } from 'node:url';
import { packageRoot } from '../platform/package-root.ts';
import { serve } from './serve.ts';

/** Everything on this machine, with the example agents. */
export async function up({ port }: { port?: string }): Promise<void> {
  const config = fileURLToPath(new URL('examples/graph.json', packageRoot));
  await serve({ config, role: 'all', ...(port && { port }) }, ({ url, temporalUiUrl }) => {
    const body = `{"assistant_id":"agent","input":{"messages":[{"role":"user","content":"What is the weather in Lisbon?"}]}}`;
    console.log(`
  Slipway is ready.

  Agent server   ${url}
  API for people ${url}/docs
  Temporal UI    ${temporalUiUrl ?? 'as configured'}

  Try it:

    curl -s ${url}/runs/wait -H 'content-type: application/json' -d '${body}'
`);
  });
}
