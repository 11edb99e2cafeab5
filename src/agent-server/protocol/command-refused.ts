/** Why a command failed (contract §15.3). */
export type CommandCode =
  | 'invalid_argument'
  | 'unknown_command'
  | 'unknown_error'
  | 'no_such_run'
  | 'no_such_subscription'
  | 'no_such_interrupt'
  | 'not_supported'
  | 'permission_denied'
  | 'resume_gap';

export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  readonly code: CommandCode;
  /** Extra fields for the response. */
  readonly more: Record<string, unknown>;

  constructor(code: CommandCode, message: string, more: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
}
