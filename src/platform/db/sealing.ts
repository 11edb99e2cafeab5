/** Location of a sealed value: `{model: 'thread', field: 'metadata'}`. */
export interface SealedField {
  model: string;
  field: string;
}

/** A parameter that is encrypted if the database has a cipher. */
export class SealedParameter {
  readonly place: SealedField;
  /** JSON is encrypted per key, so that unencrypted keys can be queried; blobs as a whole. */
  readonly kind: 'json' | 'blob';
  readonly text: string;

  constructor(kind: SealedParameter['kind'], place: SealedField, text: string) {
    this.kind = kind;
    this.place = place;
    this.text = text;
  }

  /** Called by the driver if there is no cipher. */
  toPostgres(): string {
    return this.text;
  }
}

export const sealedJson = (model: string, field: string, value: unknown): SealedParameter =>
  new SealedParameter('json', { model, field }, JSON.stringify(value));

/** Accepts JSON text. */
export const sealedJsonText = (model: string, field: string, text: string): SealedParameter =>
  new SealedParameter('json', { model, field }, text);

export const sealedBlob = (model: string, field: string, text: string): SealedParameter =>
  new SealedParameter('blob', { model, field }, text);

export interface Cipher {
  /** Returns the text to store. */
  seal(parameter: SealedParameter): Promise<string>;
  /** Decrypts sealed values in rows in place. */
  open(rows: object[]): Promise<void>;
}

/** Encrypts the parameters of a statement, including those inside lists. */
export const sealValues = (cipher: Cipher, values: unknown[] = []): Promise<unknown[]> =>
  Promise.all(
    values.map((value) => {
      if (value instanceof SealedParameter) return cipher.seal(value);
      const holds = Array.isArray(value) && value.some((item) => item instanceof SealedParameter);
      return holds ? sealValues(cipher, value as unknown[]) : value;
    }),
  );
