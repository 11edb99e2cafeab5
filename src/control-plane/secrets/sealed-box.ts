import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const TAG_BYTES = 16;

interface Key {
  id: Buffer;
  key: Buffer;
}

/** Derives 32 bytes from an operator's text. The id is public and doesn't reveal the key. */
function readKey(text: string): Key {
  const key = createHash('sha256').update('slipway sealed box\0').update(text).digest();
  return { id: createHash('sha256').update('id\0').update(key).digest().subarray(0, KEY_ID_BYTES), key };
}

/**
 * Encrypts what a database dump must not reveal: AES-256-GCM, `key id · iv · tag · text`. The first key seals and
 * every key opens, so keys can be rotated without downtime. A sealed text opens only with the `about` it was sealed
 * with.
 */
export class SealedBox {
  readonly #keys: Key[];

  constructor(keys: string[]) {
    if (keys.length === 0) throw new Error('A sealed box needs a key');
    this.#keys = keys.map(readKey);
  }

  seal(text: string, about: string): Buffer {
    return this.sealBytes(Buffer.from(text), about);
  }

  sealBytes(bytes: Buffer, about: string): Buffer {
    const { id, key } = this.#keys[0]!;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(about));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([id, iv, cipher.getAuthTag(), sealed]);
  }

  /** Throws when no key fits or `about` differs. */
  open(sealed: Buffer, about: string): string {
    return this.openBytes(sealed, about).toString('utf8');
  }

  /** Throws like `open`. */
  openBytes(sealed: Buffer, about: string): Buffer {
    const id = sealed.subarray(0, KEY_ID_BYTES);
    const found = this.#keys.find((key) => key.id.equals(id));
    if (!found) throw new Error('Sealed with a key that is not configured (SLIPWAY_SECRET_KEY)');
    const iv = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
    const tag = sealed.subarray(KEY_ID_BYTES + IV_BYTES, KEY_ID_BYTES + IV_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(ALGORITHM, found.key, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(about))
      .setAuthTag(tag);
    const bytes = sealed.subarray(KEY_ID_BYTES + IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(bytes), decipher.final()]);
  }

  /** 32 bytes that only holders of the first key can derive from the text. */
  mac(text: string): Buffer {
    return createHmac('sha256', this.#keys[0]!.key).update(text).digest();
  }

  /** Whether it was sealed with an older key and should be sealed again. */
  isStale(sealed: Buffer): boolean {
    return !sealed.subarray(0, KEY_ID_BYTES).equals(this.#keys[0]!.id);
  }
}
