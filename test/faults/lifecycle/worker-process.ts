// A platform worker with minimal agents.
import { fileURLToPath } from 'node:url';
import { openDataPlane } from '../../../src/bin/data-plane.ts';
import { runWorkers } from '../../support/platform-workers.ts';

const server = fileURLToPath(new URL('small-agent.js', import.meta.url));
await runWorkers((deps) => openDataPlane(deps, { server }));
