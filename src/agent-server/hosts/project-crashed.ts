/** The process that loads the project ended: out of memory, or the project ends it. */
export class ProjectCrashed extends Error {
  override readonly name = 'ProjectCrashed';
  /** Undefined where it was killed. */
  readonly exitCode: number | undefined;

  constructor(how: string) {
    super(`the process that loads the project ended (${how})`);
    const [, code] = /^exit code (\d+)$/.exec(how) ?? [];
    this.exitCode = code === undefined ? undefined : Number(code);
  }
}
