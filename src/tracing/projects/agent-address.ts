const LRN =
  /^lrn:agents\/([a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)\/environments\/(local|development|staging|production)$/;

/** Project shared by all evaluators of a workspace (contract §1.12). */
export const EVALUATORS = 'evaluators';

/** Name of the project for an agent's runs in an environment. */
export const agentProject = (id: string, environment: string): string => `${id}/${environment.toLowerCase()}`;

/** The project named by an address instead of a plain name (contract §1.3). Undefined if it is not an address. */
export function projectOfAddress(address: unknown): string | undefined {
  const [, id, environment] = typeof address === 'string' ? (LRN.exec(address) ?? []) : [];
  return id && environment ? agentProject(id, environment) : undefined;
}
