import { type Static, Type } from 'typebox';
import { PublicError } from '../../platform/errors.ts';
import { compileValidator, JsonObject } from '../../platform/schema.ts';
import { InvalidProject } from '../../graph-protocol/invalid-project.ts';
import { RunnableConfig } from '../records/run.ts';
import { settle } from './assistant-config.ts';

/** Variable of the project. */
export const SYSTEM_SETTINGS = 'LANGGRAPH_CONFIG';

const SystemSettings = Type.Record(
  Type.String(),
  Type.Intersect([RunnableConfig, Type.Object({ context: Type.Optional(JsonObject) })]),
);
const check = compileValidator(SystemSettings, 'body');

/** Configurations of system assistants by graph, from the project's environment. Throws InvalidProject. */
export function readSystemSettings(env: NodeJS.ProcessEnv): Map<string, ReturnType<typeof settle>> {
  const text = env[SYSTEM_SETTINGS];
  if (!text) return new Map();
  try {
    const settings: Static<typeof SystemSettings> = check(JSON.parse(text));
    return new Map(
      Object.entries(settings).map(([graphId, { context, ...config }]) => [
        graphId,
        settle({ ...(Object.keys(config).length > 0 && { config }), ...(context && { context }) }),
      ]),
    );
  } catch (error) {
    const reason = error instanceof PublicError ? error.message : 'it is not JSON';
    throw new InvalidProject(`${SYSTEM_SETTINGS}: ${reason.replace(/^body\.?/, '')}`);
  }
}
