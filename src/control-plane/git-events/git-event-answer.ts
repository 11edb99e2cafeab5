import { type Static, Type } from 'typebox';
import { Uuid } from '../../platform/schema.ts';

/** What became of an event, for whoever looks at the deliveries of a git host. */
export const GitEventAnswer = Type.Object({
  handled: Type.Boolean(),
  /** Why it was not. */
  reason: Type.Optional(Type.String()),
  /** Each deployment it is about. */
  deployments: Type.Array(
    Type.Object({
      deployment_id: Uuid,
      handled: Type.Boolean(),
      reason: Type.Optional(Type.String()),
      revision_id: Type.Optional(Uuid),
      /** The deployment of the pull request, made, changed or removed. */
      preview_id: Type.Optional(Uuid),
    }),
  ),
});
export type GitEventAnswer = Static<typeof GitEventAnswer>;
export type DeploymentOutcome = GitEventAnswer['deployments'][number];
