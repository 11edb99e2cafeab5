import { FIXTURES } from '../support/agent-server.ts';
import { pythonServer } from '../support/python-project.ts';

/** The same graphs in each language that a host runs, and the options of a server with them. */
export const PROJECTS = [
  { language: 'JavaScript', config: FIXTURES, env: {} },
  { language: 'Python', ...(await pythonServer()) },
];
