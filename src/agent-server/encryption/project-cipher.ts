import type { Cipher, SealedParameter } from '../../platform/db/sealing.ts';
import type { EncryptionContext } from '../../graph-protocol/messages.ts';
import type { ProjectEncryption } from './host-encryption.ts';
import { encryptionMetadata } from './encryption-context.ts';
import { JsonCipher, MARK } from './json-cipher.ts';

// Neither JSON text nor base64 starts with this.
const PREFIX = 'sealed:';
// Text columns that hold blobs; other text columns can hold anything.
const BLOBS = new Set(['body', 'value', 'data']);
// The checkpoint column that is read as text.
const JSON_TEXT = 'metadata';

/** Passes stored data through the project's handlers. Data stored without them is returned unchanged. */
export function createCipher({ encrypt, decrypt }: ProjectEncryption): Cipher {
  const json =
    encrypt.json && decrypt.json
      ? new JsonCipher({ encrypt: encrypt.json, decrypt: decrypt.json })
      : undefined;

  async function openBlob(text: string): Promise<string> {
    if (!text.startsWith(PREFIX) || !decrypt.blob) return text;
    const [, head = '', body = ''] = text.split(':');
    const context = JSON.parse(Buffer.from(head, 'base64url').toString()) as EncryptionContext;
    const bytes = await decrypt.blob(context, Buffer.from(body, 'base64'));
    return Buffer.from(bytes).toString('utf8');
  }

  async function openRow(row: Record<string, unknown>): Promise<void> {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'string') {
        if (BLOBS.has(column)) row[column] = await openBlob(value);
        else if (json && column === JSON_TEXT && value.includes(`"${MARK}"`))
          row[column] = JSON.stringify(await json.open(JSON.parse(value)));
      } else if (json && typeof value === 'object' && value !== null) row[column] = await json.open(value);
    }
  }

  return {
    async seal({ kind, place, text }: SealedParameter) {
      const metadata = encryptionMetadata();
      if (kind === 'json') {
        return json ? JSON.stringify(await json.seal(JSON.parse(text), place, metadata)) : text;
      }
      if (!encrypt.blob) return text;
      const context: EncryptionContext = { ...place, metadata };
      const bytes = await encrypt.blob(context, Buffer.from(text, 'utf8'));
      const head = Buffer.from(JSON.stringify(context)).toString('base64url');
      return `${PREFIX}${head}:${Buffer.from(bytes).toString('base64')}`;
    },
    async open(rows) {
      await Promise.all(rows.map((row) => openRow(row as Record<string, unknown>)));
    },
  };
}
