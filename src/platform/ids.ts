import { v5, v7 } from 'uuid';

/** Time-ordered id, strictly increasing within this process. */
export const uuid7 = (): string => v7();

const SYSTEM_ASSISTANTS = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

/** Id of a graph's default assistant (contract §3.1), the same on every start and machine. */
export const systemAssistantId = (graphId: string): string => v5(graphId, SYSTEM_ASSISTANTS);

const SEEDED = '0f8e2b52-5d5c-4c0b-9f39-6a3f5e4f6d11';

/** A deterministic id for a text. */
export const seededUuid = (text: string): string => v5(text, SEEDED);

/** Accepts all versions, and UUIDs without one, as Postgres does. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (value: string): boolean => UUID.test(value);
