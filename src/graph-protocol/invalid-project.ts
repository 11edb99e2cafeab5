/** An agent project that cannot be served. Each line of the message says which file and key, and why. */
export class InvalidProject extends Error {
  override readonly name = 'InvalidProject';
}
