import { defineError, PublicError } from '../platform/errors.ts';

export const DeploymentNotFound = defineError(
  'DeploymentNotFound',
  404,
  (id: string) => `Deployment ID ${id} not found.`,
);
export const RevisionNotFound = defineError(
  'RevisionNotFound',
  404,
  (id: string) => `Revision ID ${id} not found.`,
);
export const NameTaken = defineError(
  'NameTaken',
  409,
  (name: string) => `A deployment named '${name}' already exists.`,
);
export const NoArtifact = defineError(
  'NoArtifact',
  400,
  (id: string) => `Revision ${id} cannot be redeployed: it was never built, or its build was deleted.`,
);
export const NotServing = defineError(
  'NotServing',
  400,
  (id: string) => `Revision ${id} is not the latest one, or not DEPLOYED.`,
);
export const BeingDeleted = defineError(
  'BeingDeleted',
  409,
  (id: string) => `Deployment ${id} is being deleted.`,
);
export const NotBeingDeleted = defineError(
  'NotBeingDeleted',
  409,
  (id: string) => `Deployment ${id} is not being deleted.`,
);
export const StepRefused = defineError(
  'StepRefused',
  409,
  (id: string, status: string, what: string) => `Revision ${id} is ${status}, and cannot be ${what}.`,
);
export const NeedsApproval = defineError(
  'NeedsApproval',
  409,
  (id: string) => `Revision ${id} must be approved before it is deployed.`,
);
export const QuotaReached = defineError(
  'QuotaReached',
  403,
  (most: number) => `The workspace has reached its limit of ${most} deployments.`,
);
// Clients match the first words.
export const ListenerNeeded = defineError(
  'ListenerNeeded',
  400,
  () => `'listener_id' is required: the workspace deploys to its own data planes.`,
);
export const NotACanary = defineError(
  'NotACanary',
  404,
  (id: string) => `Revision ID ${id} is not running as a canary.`,
);
export const AlreadyEnded = defineError(
  'AlreadyEnded',
  400,
  (status: string) => `The revision has ended (${status}); there is nothing to interrupt.`,
);
export const NotWaiting = defineError(
  'NotWaiting',
  400,
  (status: string) => `The revision is not waiting for approval (${status}).`,
);
export const ChangedMeanwhile = defineError(
  'ChangedMeanwhile',
  412,
  () => 'The deployment has been changed since; read it again.',
);

/** A build that can't succeed as configured; the message is for its author. */
export const BuildFailed = defineError('BuildFailed', 400, (reason: string) => reason);
/** A revision that didn't become healthy; the message is for its deployer. */
export const StartFailed = defineError('StartFailed', 422, (detail: string) => detail);

export interface FieldError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** A request that fails validation, with the location of each fault. */
export class InvalidFields extends PublicError {
  override readonly name = 'InvalidFields';
  readonly status = 422;
  override readonly detail: FieldError[];
  constructor(faults: FieldError[]) {
    super(faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
    this.detail = faults;
  }
}

export const invalidField = (loc: (string | number)[], msg: string, type = 'value_error'): InvalidFields =>
  new InvalidFields([{ loc, msg, type }]);
