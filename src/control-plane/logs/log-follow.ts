import type { Context } from 'koa';
import type { Database } from '../../platform/db/database.ts';
import { SseStream } from '../../platform/http/sse.ts';
import { isTerminal, type RevisionStatus } from '../records/revision-lifecycle.ts';
import { findRevision } from '../records/revision-repository.ts';
import { listLines, type Phase } from './log-repository.ts';

const POLL_MS = 500;
const PAGE = 500;
const HEARTBEAT_MS = 5_000;
const LIMIT_BYTES = 16 * 1024 * 1024;

interface Followed {
  phase: Phase;
  deployment_id: string;
  revision_id: string;
  /** Id of the last line the reader has. */
  after: string | undefined;
}

const isOver = (phase: Phase, status: RevisionStatus): boolean =>
  phase === 'build'
    ? status !== 'CREATING' && status !== 'QUEUED' && status !== 'AWAITING_BUILD' && status !== 'BUILDING'
    : isTerminal(status) && status !== 'DEPLOYED';

/**
 * Streams lines as `log` events with ids until the revision has ended, then `end` with its status. An active revision
 * is followed until the reader leaves. Readers resume with `Last-Event-ID`.
 */
export async function followLines(ctx: Context, db: Database, followed: Followed): Promise<void> {
  const gone = new AbortController();
  const stream = new SseStream(ctx, {
    heartbeatMs: HEARTBEAT_MS,
    limitBytes: LIMIT_BYTES,
    onClose: () => gone.abort(),
  });
  let { after } = followed;
  while (!gone.signal.aborted) {
    // Read before the lines: a final status is set after the last line is written.
    const revision = await findRevision(db, followed.revision_id);
    const lines = await listLines(db, { ...followed, after, order: 'asc', limit: PAGE });
    stream.send(lines.map((line) => ({ event: 'log', id: line.id, data: JSON.stringify(line) })));
    after = lines.at(-1)?.id ?? after;
    if (lines.length === PAGE) continue;
    if (!revision || isOver(followed.phase, revision.status)) {
      const status = revision?.status ?? null;
      stream.send([{ event: 'end', data: JSON.stringify({ status }) }]);
      stream.end();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
