import type { RunRow } from '../../api/tracing-records.ts';
import { readTime } from '../../parts/read-time.ts';

/** A node of the trace tree. Children are sorted by start; times are in ms from the start of the trace. */
export interface Span {
  run: RunRow;
  depth: number;
  parent: Span | undefined;
  children: Span[];
  start: number;
  /** For active runs, the current end of the trace. */
  end: number;
  /** One-based index among its siblings. */
  place: number;
}

export interface Trace {
  roots: Span[];
  byId: Map<string, Span>;
  /** In ms. */
  duration: number;
}

/** Builds the tree of a trace. Runs with missing parents become roots. */
export function readTrace(runs: RunRow[]): Trace {
  const begin = runs.reduce((earliest, { start_time }) => Math.min(earliest, readTime(start_time)), Infinity);
  const finish = runs.reduce(
    (latest, { start_time, end_time }) => Math.max(latest, readTime(end_time ?? start_time)),
    begin,
  );
  const byId = new Map<string, Span>();
  // In dotted order, parents precede their children.
  const orderOf = ({ dotted_order }: RunRow) => dotted_order ?? '';
  const ordered = runs.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const roots: Span[] = [];
  for (const run of ordered) {
    const parent = run.parent_run_id === null ? undefined : byId.get(run.parent_run_id);
    const siblings = parent?.children ?? roots;
    const start = readTime(run.start_time) - begin;
    const span: Span = {
      run,
      parent,
      children: [],
      depth: parent ? parent.depth + 1 : 0,
      start,
      end: Math.max(start, (run.end_time === null ? finish : readTime(run.end_time)) - begin),
      place: siblings.length + 1,
    };
    siblings.push(span);
    byId.set(run.id, span);
  }
  return { roots, byId, duration: Math.max(1, finish - begin) };
}

/**
 * Visible spans from top to bottom: without descendants of collapsed ones, and with a search text only matches and
 * their ancestors.
 */
export function shownSpans(trace: Trace, closed: ReadonlySet<string>, text: string): Span[] {
  const leads = text.trim() ? leadingTo(trace, text.trim().toLowerCase()) : undefined;
  const shown: Span[] = [];
  const rest = trace.roots.toReversed();
  for (let span = rest.pop(); span; span = rest.pop()) {
    if (leads && !leads.has(span)) continue;
    shown.push(span);
    if (leads ?? !closed.has(span.run.id)) rest.push(...span.children.toReversed());
  }
  return shown;
}

/** Matches of a text and their ancestors. */
function leadingTo({ byId }: Trace, wanted: string): Set<Span> {
  const leads = new Set<Span>();
  for (const span of byId.values())
    if (matches(span, wanted))
      for (let at: Span | undefined = span; at && !leads.has(at); at = at.parent) leads.add(at);
  return leads;
}

const matches = ({ run: { name, run_type, status } }: Span, wanted: string): boolean =>
  name.toLowerCase().includes(wanted) || run_type === wanted || status === wanted;
