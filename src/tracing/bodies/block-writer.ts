import type { Statement } from '../../platform/db/database.ts';
import { encodeBlock, ENCODING } from './block-encoding.ts';
import { Grams } from './grams.ts';
import { OFFSETS, writePlace } from './place.ts';

const LENGTH_BYTES = 4;
/** A reader of one body inflates its block: small enough to be quick, large enough to compress well. One larger body has its own. */
export const BLOCK_BYTES = 512 * 1024;
// A statement for each number of blocks that is common.
const PREPARED = 8;

interface Block {
  project_id: string;
  id: number;
  parts: Buffer[];
  size: number;
  /** Of the runs whose bodies these are, when the first and the last began. */
  first: string;
  last: string;
  grams: Grams;
}

/** Of a run what its bodies are found by; the time as ISO 8601 in UTC with microseconds. */
interface BodyOf {
  project_id: string;
  start_time: string;
  /** Whether searches read it. */
  isSearched: boolean;
}

/**
 * Gathers bodies into blocks, which are compressed and written as one: bodies that come together resemble each other.
 * A block belongs to one project.
 */
export class BlockWriter {
  readonly #tenantId: string;
  readonly #week: string;
  readonly #ids: number[];
  readonly #full: Block[] = [];
  readonly #open = new Map<string, Block>();

  /** `ids` are taken from tracing.body_block_id: at least `BlockWriter.blocksOf(…)`. */
  constructor(tenantId: string, week: string, ids: number[]) {
    this.#tenantId = tenantId;
    this.#week = week;
    this.#ids = ids;
  }

  /** How many blocks these bodies take at most. */
  static blocksOf(projects: number, bytes: number): number {
    return projects + 2 * Math.ceil(bytes / BLOCK_BYTES);
  }

  /** Returns the place of the body. */
  add({ project_id, start_time, isSearched }: BodyOf, body: Buffer): string {
    const block = this.#blockFor(project_id, start_time, body.length + LENGTH_BYTES);
    const offset = block.size;
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32LE(body.length);
    block.parts.push(length, body);
    block.size += LENGTH_BYTES + body.length;
    if (start_time < block.first) block.first = start_time;
    if (start_time > block.last) block.last = start_time;
    if (isSearched) block.grams.addBody(body);
    return writePlace({ week: this.#week, block: block.id, offset });
  }

  /** The statement that writes every block; undefined when there is none. */
  async statement(): Promise<Statement | undefined> {
    const blocks = [...this.#full, ...this.#open.values()];
    if (blocks.length === 0) return undefined;
    const bytes = await Promise.all(blocks.map(({ parts }) => encodeBlock(Buffer.concat(parts))));
    // Bytes of their own parameters go as they are; in a list they would be written as hexadecimal text.
    const rows = blocks.map(
      (_, index) =>
        `($1::date, $2::uuid, '${ENCODING}', ${[3, 4, 5, 6, 7, 8, 9].map((place) => `$${7 * index + place}`).join()})`,
    );
    return {
      ...(blocks.length <= PREPARED && { name: `tracing-write-blocks-${blocks.length}` }),
      text: `insert into tracing.body_block (week, tenant_id, encoding, id, project_id, size, bytes, first_start, last_start, grams)
        values ${rows.join()}`,
      values: [
        this.#week,
        this.#tenantId,
        ...blocks.flatMap(({ id, project_id, size, first, last, grams }, index) => [
          id,
          project_id,
          size,
          bytes[index],
          first,
          last,
          grams.pack(),
        ]),
      ],
    };
  }

  #blockFor(projectId: string, start: string, size: number): Block {
    const open = this.#open.get(projectId);
    if (open && open.size + size <= BLOCK_BYTES) return open;
    if (open) this.#full.push(open);
    const id = this.#ids.pop();
    if (id === undefined || size > OFFSETS * 8) throw new Error('There is no block for this body');
    const made: Block = {
      project_id: projectId,
      id,
      parts: [],
      size: 0,
      first: start,
      last: start,
      grams: new Grams(),
    };
    this.#open.set(projectId, made);
    return made;
  }
}
