import type { Role } from './message.ts';

// Maps role names (contract §2.2). Keeps the original name where two meanings share a role.
const ROLES = new Map<string, { role: Role; keepsName?: true }>([
  ['system', { role: 'system' }],
  ['developer', { role: 'system', keepsName: true }],
  ['user', { role: 'user' }],
  ['human', { role: 'user' }],
  ['assistant', { role: 'assistant' }],
  ['ai', { role: 'assistant' }],
  ['model', { role: 'assistant' }],
  ['tool', { role: 'tool' }],
  ['function', { role: 'tool', keepsName: true }],
  ['reasoning', { role: 'reasoning' }],
]);

/** The role of a name, including LangChain class names such as `AIMessageChunk`. Undefined if unknown. */
export const roleOf = (name: unknown): { role: Role; keepsName?: true } | undefined =>
  typeof name === 'string' ? ROLES.get(name.replace(/Message(?:Chunk)?$/, '').toLowerCase()) : undefined;
