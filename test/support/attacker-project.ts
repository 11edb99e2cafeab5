import { graph } from '../control-plane/control-plane-fixture.ts';

/** A project whose agent runs any given code in its own process, as any tenant's agent could. */
export const ATTACKER = {
  'package.json': '{"type":"module"}',
  'graph.json': '{"graphs":{"agent":"./agent.js:graph"}}',
  'agent.js': `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const AsyncFunction = (async () => {}).constructor;
console.log('starting with ' + process.env.MARKER);
${graph(`async ({ said: code }) => {
    try {
      return { said: JSON.stringify({ value: await new AsyncFunction('require', code)(require) ?? null }) };
    } catch (error) {
      return { said: JSON.stringify({ error: String(error.code ?? error.message) }) };
    }
  }`)}`,
};
