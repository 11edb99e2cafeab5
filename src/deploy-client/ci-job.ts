/** The CI job that runs this command. */
export interface CiJob {
  /** The same when the job is retried. */
  id: string;
  /** Why the revision is created, in words. */
  reason: string;
}

/** Recognises GitHub Actions (and Gitea, Forgejo), GitLab CI, and any CI that sets SLIPWAY_JOB_ID. */
export function findCiJob(env: NodeJS.ProcessEnv): CiJob | undefined {
  const { SLIPWAY_JOB_ID: own } = env;
  if (own) return { id: own, reason: `deployed by job ${own}` };
  if (env['GITHUB_ACTIONS'] === 'true') {
    const { GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, GITHUB_JOB: job, GITHUB_SHA: sha } = env;
    return {
      id: `github/${repository}/${run}/${job}`,
      reason: `commit ${sha?.slice(0, 12)} of ${repository}, run ${run}`,
    };
  }
  if (env['GITLAB_CI'] === 'true') {
    const { CI_PROJECT_PATH: project, CI_PIPELINE_ID: pipeline, CI_JOB_NAME: job, CI_COMMIT_SHA: sha } = env;
    return {
      id: `gitlab/${project}/${pipeline}/${job}`,
      reason: `commit ${sha?.slice(0, 12)} of ${project}, pipeline ${pipeline}`,
    };
  }
  return undefined;
}
