import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type {
  CanaryInput,
  CommitStatusWorkflow,
  DeploymentInput,
  DeploymentWorkflow,
  RevisionWorkflow,
  SubmittedRevision,
  WatchCanaryWorkflow,
} from '../../workflows/deployments/contracts.ts';
import type { CanaryAction } from './records/canary.ts';
import { callEngine } from '../platform/temporal/engine-call.ts';

export interface DeploymentWorkflowsOptions {
  client: Client;
  taskQueue: string;
  buildQueue: string;
  /** Deadline of a call, after which the caller gets a 503, in milliseconds. */
  deadlineMs: number;
}

/** Client of the `deployment` workflows: one per deployment, started on demand. */
export class DeploymentWorkflows {
  readonly #options: DeploymentWorkflowsOptions;

  constructor(options: DeploymentWorkflowsOptions) {
    this.#options = options;
  }

  get namespace(): string {
    return this.#options.client.options.namespace;
  }

  workflowId(deploymentId: string): string {
    return `deployment/${deploymentId}`;
  }

  /** Queues the revision; durable on return, and idempotent. */
  async submit(deploymentId: string, revision: SubmittedRevision): Promise<void> {
    const { client } = this.#options;
    await this.#call(() =>
      client.workflow.signalWithStart<DeploymentWorkflow, [SubmittedRevision]>('deployment', {
        ...this.#start(deploymentId),
        signal: 'submitRevision',
        signalArgs: [revision],
      }),
    );
  }

  /** Stops the deployment and deletes it. */
  async remove(deploymentId: string): Promise<void> {
    const { client } = this.#options;
    await this.#call(() =>
      client.workflow.signalWithStart<DeploymentWorkflow>('deployment', {
        ...this.#start(deploymentId),
        signal: 'removeDeployment',
      }),
    );
  }

  /** Returns false when the deployment has no open workflow. */
  async interrupt(deploymentId: string, revisionId: string): Promise<boolean> {
    const handle = this.#options.client.workflow.getHandle<DeploymentWorkflow>(this.workflowId(deploymentId));
    try {
      await this.#call(() => handle.signal<[string]>('interruptRevision', revisionId));
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /** Reports the revision's progress to its git host until it ends. */
  async reportCommit(revisionId: string): Promise<void> {
    const { client, taskQueue } = this.#options;
    await this.#call(() =>
      client.workflow
        .signalWithStart<CommitStatusWorkflow>('commitStatus', {
          taskQueue,
          workflowId: `commit-status/${revisionId}`,
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          args: [{ revision_id: revisionId }],
          signal: 'revisionMoved',
          staticSummary: `commit status of revision ${revisionId}`,
        })
        .catch((error: unknown) => {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }),
    );
  }

  /** Watches a canary unless its workflow is open. */
  async watchCanary({ deployment_id, revision_id }: CanaryInput): Promise<void> {
    const { client, taskQueue } = this.#options;
    await this.#call(() =>
      client.workflow.start<WatchCanaryWorkflow>('watchCanary', {
        taskQueue,
        workflowId: `canary/${revision_id}`,
        workflowIdConflictPolicy: 'USE_EXISTING',
        args: [{ deployment_id, revision_id }],
        staticSummary: `revision ${revision_id} runs as a canary`,
      }),
    );
  }

  /** Signals a canary's workflow, starting it if needed. */
  async steerCanary(
    canary: CanaryInput,
    signal: CanaryAction | 'interrupt',
    reason: string[],
  ): Promise<void> {
    await this.watchCanary(canary);
    const handle = this.#options.client.workflow.getHandle(`canary/${canary.revision_id}`);
    await this.#call(() => handle.signal<string[]>(signal, ...reason));
  }

  /** Returns false when the revision has no open workflow. */
  async approve(revisionId: string, by: string): Promise<boolean> {
    const handle = this.#options.client.workflow.getHandle<RevisionWorkflow>(`revision/${revisionId}`);
    try {
      await this.#call(() => handle.signal<[string]>('approve', by));
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /** Whether the workflow of a deployment, revision or canary is open. */
  async isOpen(kind: 'deployment' | 'revision' | 'canary', id: string): Promise<boolean> {
    const handle = this.#options.client.workflow.getHandle(`${kind}/${id}`);
    try {
      return (await this.#call(() => handle.describe())).status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  #start(deploymentId: string) {
    const { taskQueue, buildQueue } = this.#options;
    const input: DeploymentInput = { deployment_id: deploymentId, build_queue: buildQueue };
    return {
      taskQueue,
      workflowId: this.workflowId(deploymentId),
      args: [input] as [DeploymentInput],
      staticSummary: `deployment ${deploymentId}`,
    };
  }

  #call<T>(work: () => Promise<T>): Promise<T> {
    return callEngine(this.#options, 'The workflow engine cannot be reached; try again', work);
  }
}
