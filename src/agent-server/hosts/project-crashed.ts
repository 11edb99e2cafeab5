/** The process that loads the project ended: it ran out of memory, or the project exited. */
export class ProjectCrashed extends Error {
  override readonly name = 'ProjectCrashed';
  /** Undefined if it was killed. */
  readonly exitCode: number | undefined;

  constructor(how: string) {
    super(`the process that loads the project ended (${how})`);
    const [, code] = /^exit code (\d+)$/.exec(how) ?? [];
    this.exitCode = code === undefined ? undefined : Number(code);
  }
}
