import type { Queryable } from '../../platform/db/database.ts';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { InvalidRequest } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { AssistantNotFound } from '../errors.ts';
import type { Assistant } from './assistant.ts';
import { findAssistant } from './assistant-repository.ts';

/** Finds an assistant by id or graph name, if the caller can access it. Throws AssistantNotFound. */
export async function requireAssistant(db: Queryable, ref: string, reach?: RowFilter): Promise<Assistant> {
  const assistant = await findAssistant(db, ref, reach);
  if (!assistant) throw new AssistantNotFound(ref);
  return assistant;
}

/**
 * Finds the assistant that a request body names by id or graph name. Throws InvalidRequest if it is neither,
 * AssistantNotFound if the id is unknown.
 */
export async function findAssistantByRef(db: Queryable, ref: string): Promise<Assistant> {
  const assistant = await findAssistant(db, ref);
  if (assistant) return assistant;
  if (isUuid(ref)) throw new AssistantNotFound(ref);
  throw new InvalidRequest(
    `Invalid assistant: '${ref}'. Must be the id of an assistant or the name of a graph`,
  );
}
