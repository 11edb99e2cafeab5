import { JsonRpcError } from '../../platform/http/json-rpc.ts';

/** Failures of the protocol's own (contract §11.3). */
export const taskNotFound = (id: string) => new JsonRpcError(-32_001, `Task not found: ${id}`);
export const taskNotCancelable = (id: string) => new JsonRpcError(-32_002, `Task cannot be canceled: ${id}`);
export const noPushNotifications = () => new JsonRpcError(-32_003, 'Push notifications are not supported');
export const unsupportedOperation = (why: string) => new JsonRpcError(-32_004, why);
export const contentTypeNotSupported = (why: string) => new JsonRpcError(-32_005, why);
export const versionNotSupported = () => new JsonRpcError(-32_009, 'A2A-Version must be one of 0.3 and 1.0');
