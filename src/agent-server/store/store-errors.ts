import { defineError } from '../../platform/errors.ts';

export const EmptyNamespace = defineError('EmptyNamespace', 400, () => 'Namespace cannot be empty');
export const InvalidNamespace = defineError('InvalidNamespace', 422, (reason: string) => reason);

export const ItemNotFound = defineError('ItemNotFound', 404, () => 'Item not found');
