import type { Statement } from '../../platform/db/database.ts';
import { encodeBlock, ENCODING } from './block-encoding.ts';
import { WordFilter } from './word-filter.ts';
import { OFFSETS, encodeLocation } from './body-location.ts';

const LENGTH_BYTES = 4;
/** Small enough to decode quickly for one body, large enough to compress well. A larger body gets its own block. */
export const BLOCK_BYTES = 512 * 1024;
// Block counts up to this get a prepared statement each.
const PREPARED = 8;

interface Block {
  project_id: string;
  id: number;
  parts: Buffer[];
  size: number;
  /** Start times of the first and last run with bodies in the block. */
  first: string;
  last: string;
  filter: WordFilter;
}

/** Fields of a run by which its bodies are found. Times are ISO 8601 in UTC with microseconds. */
interface BodyOf {
  project_id: string;
  start_time: string;
  /** Whether full-text searches include the body. */
  isSearched: boolean;
}

/**
 * Packs bodies into compressed blocks: bodies that arrive together resemble each other. A block belongs to one
 * project.
 */
export class BlockWriter {
  readonly #tenantId: string;
  readonly #week: string;
  readonly #ids: number[];
  readonly #full: Block[] = [];
  readonly #open = new Map<string, Block>();

  /** `ids` come from tracing.body_block_id; at least `BlockWriter.blocksOf(…)` of them. */
  constructor(tenantId: string, week: string, ids: number[]) {
    this.#tenantId = tenantId;
    this.#week = week;
    this.#ids = ids;
  }

  /** Upper bound on the number of blocks needed. */
  static blocksOf(projects: number, bytes: number): number {
    return projects + 2 * Math.ceil(bytes / BLOCK_BYTES);
  }

  /** Returns the location of the body. */
  add({ project_id, start_time, isSearched }: BodyOf, body: Buffer): string {
    const block = this.#blockFor(project_id, start_time, body.length + LENGTH_BYTES);
    const offset = block.size;
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32LE(body.length);
    block.parts.push(length, body);
    block.size += LENGTH_BYTES + body.length;
    if (start_time < block.first) block.first = start_time;
    if (start_time > block.last) block.last = start_time;
    if (isSearched) block.filter.addBody(body);
    return encodeLocation({ week: this.#week, block: block.id, offset });
  }

  /** Statement that writes every block; undefined if there are none. */
  async statement(): Promise<Statement | undefined> {
    const blocks = [...this.#full, ...this.#open.values()];
    if (blocks.length === 0) return undefined;
    const bytes = await Promise.all(blocks.map(({ parts }) => encodeBlock(Buffer.concat(parts))));
    // Binary parameters are sent raw; arrays would be sent as hexadecimal text.
    const rows = blocks.map(
      (_, index) =>
        `($1::date, $2::uuid, '${ENCODING}', ${[3, 4, 5, 6, 7, 8, 9].map((parameter) => `$${7 * index + parameter}`).join()})`,
    );
    return {
      ...(blocks.length <= PREPARED && { name: `tracing-write-blocks-${blocks.length}` }),
      text: `insert into tracing.body_block (week, tenant_id, encoding, id, project_id, size, bytes, first_start, last_start, grams)
        values ${rows.join()}`,
      values: [
        this.#week,
        this.#tenantId,
        ...blocks.flatMap(({ id, project_id, size, first, last, filter }, index) => [
          id,
          project_id,
          size,
          bytes[index],
          first,
          last,
          filter.pack(),
        ]),
      ],
    };
  }

  #blockFor(projectId: string, start: string, size: number): Block {
    const open = this.#open.get(projectId);
    if (open && open.size + size <= BLOCK_BYTES) return open;
    if (open) this.#full.push(open);
    const id = this.#ids.pop();
    if (id === undefined || size > OFFSETS * 8) throw new Error('No block left for this body');
    const made: Block = {
      project_id: projectId,
      id,
      parts: [],
      size: 0,
      first: start,
      last: start,
      filter: new WordFilter(),
    };
    this.#open.set(projectId, made);
    return made;
  }
}
