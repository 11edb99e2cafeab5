import { type Static, Type } from 'typebox';
import { Uuid } from '../../platform/schema.ts';

/** The result of an event, shown in the git host's list of deliveries. */
export const GitEventAnswer = Type.Object({
  handled: Type.Boolean(),
  /** Why it was ignored. */
  reason: Type.Optional(Type.String()),
  /** Each matching deployment. */
  deployments: Type.Array(
    Type.Object({
      deployment_id: Uuid,
      handled: Type.Boolean(),
      reason: Type.Optional(Type.String()),
      revision_id: Type.Optional(Uuid),
      /** The preview deployment that was created, changed or removed. */
      preview_id: Type.Optional(Uuid),
    }),
  ),
});
export type GitEventAnswer = Static<typeof GitEventAnswer>;
export type DeploymentOutcome = GitEventAnswer['deployments'][number];
