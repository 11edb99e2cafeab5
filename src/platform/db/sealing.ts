/** What is stored sealed: `{model: 'thread', field: 'metadata'}`. */
export interface SealedPlace {
  model: string;
  field: string;
}

/** A parameter that a database with a cipher stores sealed, and one without as it is. */
export class SealedParameter {
  readonly place: SealedPlace;
  /** JSON is sealed key by key, so that what is left open can be queried; a blob as a whole. */
  readonly kind: 'json' | 'blob';
  readonly text: string;

  constructor(kind: SealedParameter['kind'], place: SealedPlace, text: string) {
    this.kind = kind;
    this.place = place;
    this.text = text;
  }

  /** What the driver sends where there is no cipher. */
  toPostgres(): string {
    return this.text;
  }
}

export const sealedJson = (model: string, field: string, value: unknown): SealedParameter =>
  new SealedParameter('json', { model, field }, JSON.stringify(value));

/** The same of JSON text. */
export const sealedJsonText = (model: string, field: string, text: string): SealedParameter =>
  new SealedParameter('json', { model, field }, text);

export const sealedBlob = (model: string, field: string, text: string): SealedParameter =>
  new SealedParameter('blob', { model, field }, text);

export interface Cipher {
  /** The text that is stored. */
  seal(parameter: SealedParameter): Promise<string>;
  /** Puts what was sealed back into rows as they were read. */
  open(rows: object[]): Promise<void>;
}

/** Seals the parameters of one statement, those inside of lists too. */
export const sealValues = (cipher: Cipher, values: unknown[] = []): Promise<unknown[]> =>
  Promise.all(
    values.map((value) => {
      if (value instanceof SealedParameter) return cipher.seal(value);
      const holds = Array.isArray(value) && value.some((item) => item instanceof SealedParameter);
      return holds ? sealValues(cipher, value as unknown[]) : value;
    }),
  );
