import { FIXTURES } from '../support/agent-server.ts';
import { pythonServer } from '../support/python-project.ts';

/** The same graphs in each language a host supports, with the options of a server that runs them. */
export const PROJECTS = [
  { language: 'JavaScript', config: FIXTURES, env: {} },
  { language: 'Python', ...(await pythonServer()) },
];
