import type { Queryable } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { InvalidRequest } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { AssistantNotFound } from '../errors.ts';
import type { Assistant } from './assistant.ts';
import { findAssistant } from './assistant-repository.ts';

/** The assistant of an id or of a graph's name, if it can be reached. Throws AssistantNotFound. */
export async function requireAssistant(db: Queryable, ref: string, reach?: RowFilter): Promise<Assistant> {
  const assistant = await findAssistant(db, ref, reach);
  if (!assistant) throw new AssistantNotFound(ref);
  return assistant;
}

/**
 * The assistant a request body names by its id or a graph's name. Throws InvalidRequest when it is neither,
 * AssistantNotFound when there is none of that id.
 */
export async function findAssistantByRef(db: Queryable, ref: string): Promise<Assistant> {
  const assistant = await findAssistant(db, ref);
  if (assistant) return assistant;
  if (isUuid(ref)) throw new AssistantNotFound(ref);
  throw new InvalidRequest(
    `Invalid assistant: '${ref}'. Must be the id of an assistant or the name of a graph`,
  );
}
