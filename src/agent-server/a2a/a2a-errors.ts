import { INTERNAL_ERROR, JsonRpcError } from '../../platform/http/json-rpc.ts';

/** A protocol error (contract §11.3), with the details that A2A 1.0 requires (9.5). */
const failure = (code: number, reason: string, message: string, metadata?: Record<string, string>) =>
  new JsonRpcError(code, message, [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason,
      domain: 'a2a-protocol.org',
      ...(metadata && { metadata }),
    },
  ]);

export const taskNotFound = (taskId: string) =>
  failure(-32_001, 'TASK_NOT_FOUND', `Task not found: ${taskId}`, { taskId });
export const taskNotCancelable = (taskId: string) =>
  failure(-32_002, 'TASK_NOT_CANCELABLE', `Task cannot be canceled: ${taskId}`, { taskId });
export const noPushNotifications = () =>
  failure(-32_003, 'PUSH_NOTIFICATION_NOT_SUPPORTED', 'Push notifications are not supported');
export const unsupportedOperation = (why: string) => failure(-32_004, 'UNSUPPORTED_OPERATION', why);
export const contentTypeNotSupported = (why: string) => failure(-32_005, 'CONTENT_TYPE_NOT_SUPPORTED', why);
export const versionNotSupported = () =>
  failure(-32_009, 'VERSION_NOT_SUPPORTED', 'A2A-Version must be one of 0.3 and 1.0', {
    supportedVersions: '0.3, 1.0',
  });

export const taskRemoved = () => new JsonRpcError(INTERNAL_ERROR, 'The task was deleted while in progress');
