import type { Answers } from './control-plane-answers.ts';

/** The control plane's records (docs/control-plane-api.md). */
export type Deployment = Answers['getDeployment'];
export type Source = Deployment['source'];
export type SourceConfig = Deployment['source_config'];
/** The resources that the console shows. */
export type ResourceSpec = Pick<
  NonNullable<SourceConfig['resource_spec']>,
  'min_scale' | 'max_scale' | 'cpu' | 'memory_limit_mb'
>;
export type Revision = Answers['getRevision'];
export type Timeline = Answers['getTimeline'];
export type Traffic = Answers['getTraffic'];
export type Figures = Traffic['figures'][number];
export type DeploymentHealth = Answers['listDeploymentHealth']['resources'][number];

export interface Page<Record> {
  resources: Record[];
  offset: number;
}

/** Body of create and patch requests. */
export interface DeploymentBody {
  name?: string;
  source?: Source;
  source_config: SourceConfig;
  source_revision_config: Partial<Revision['source_revision_config']>;
  secrets: { name: string; value: string }[];
  secrets_mode?: 'merge';
  removed_secrets?: string[];
  reason?: string;
}
