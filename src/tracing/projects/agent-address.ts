const LRN =
  /^lrn:agents\/([a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)\/environments\/(local|development|staging|production)$/;

/** Evaluators of a workspace log into one project (contract §1.12). */
export const EVALUATORS = 'evaluators';

/** The name of the project that an agent's runs are logged into in an environment. */
export const agentProject = (id: string, environment: string): string => `${id}/${environment.toLowerCase()}`;

/** The project of an address that stands in place of its name (contract §1.3); undefined for what is none. */
export function projectOfAddress(address: unknown): string | undefined {
  const [, id, environment] = typeof address === 'string' ? (LRN.exec(address) ?? []) : [];
  return id && environment ? agentProject(id, environment) : undefined;
}
