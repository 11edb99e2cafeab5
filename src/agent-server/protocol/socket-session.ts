import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { Type } from 'typebox';
import type { RowFilter } from '../../platform/db/row-filter.ts';
import { refuseInexactNumbers } from '../../platform/http/exact-numbers.ts';
import { compileValidator } from '../../platform/schema.ts';
import type { AgentDeps } from '../agent-deps.ts';
import { answerCommand, Command, type CommandHandler, defineCommand } from './command.ts';
import { CommandRefused } from './command-refused.ts';
import { type Envelope, msOf, seqAt } from './envelope.ts';
import { EventFilter } from './event-filter.ts';
import { EventOrder } from './event-order.ts';
import { START } from '../events/event-id.ts';
import { EventStream } from './event-stream.ts';
import { findReplayStart } from './protocol-repository.ts';

export interface SocketOptions {
  thread_id: string;
  access: RowFilter | undefined;
  socket: WebSocket;
  commands: Record<string, CommandHandler>;
}

const Unsubscribe = Type.Object({ subscription_id: Type.String() });
const checkCommand = compileValidator(Command, 'body');
const OPENING = new Set(['subscription.subscribe', 'subscription.reconnect']);
// Close codes after which clients reconnect.
const TRY_AGAIN = 1011;

/** A WebSocket session: receives commands, sends responses and the events of its subscriptions (contract §15.4). */
export class SocketSession {
  readonly #deps: AgentDeps;
  readonly #options: SocketOptions;
  readonly #commands: Record<string, CommandHandler>;
  readonly #streams = new Map<string, EventStream>();
  /** Stored events of subscriptions whose response hasn't been sent yet. */
  readonly #unsent = new Map<string, Envelope[]>();
  readonly #heartbeat: NodeJS.Timeout;
  /** Subscriptions being opened; live events wait until these have received the earlier ones. */
  #opening = 0;
  readonly #answers: object[] = [];
  readonly #order = new EventOrder();
  /** The oldest waiting event at the last heartbeat. */
  #waited: string | undefined;
  #unanswered = 0;

  /** Serves the socket until it closes. */
  static open(deps: AgentDeps, options: SocketOptions): SocketSession {
    return new SocketSession(deps, options);
  }

  private constructor(deps: AgentDeps, options: SocketOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#commands = {
      ...options.commands,
      'subscription.subscribe': defineCommand(EventFilter, (filter) => this.#subscribe(filter)),
      'subscription.unsubscribe': defineCommand(Unsubscribe, ({ subscription_id: id }) =>
        this.#unsubscribe(id),
      ),
      'subscription.reconnect': defineCommand(EventFilter, (filter) => this.#reconnect(filter)),
    };
    const { socket } = options;
    socket.on('message', (data: Buffer) => void this.#receive(data.toString()));
    socket.on('pong', () => (this.#unanswered = 0));
    socket.on('error', (error) => deps.log.debug({ err: error }, 'socket error'));
    socket.on('close', () => this.#close());
    this.#heartbeat = setInterval(() => this.#beat(), deps.config.SLIPWAY_KEEP_ALIVE_SECONDS * 1000);
  }

  async #receive(text: string): Promise<void> {
    let command: Command;
    try {
      const parsed: unknown = JSON.parse(text);
      refuseInexactNumbers(text);
      command = checkCommand(parsed);
    } catch (error) {
      const message = error instanceof SyntaxError ? 'Commands must be JSON' : (error as Error).message;
      this.#send({ type: 'error', id: null, error: 'invalid_argument', message });
      return;
    }
    if (!OPENING.has(command.method))
      return this.#send(await answerCommand(this.#commands, command, this.#deps.log));
    this.#opening++;
    this.#answers.push(await answerCommand(this.#commands, command, this.#deps.log));
    if (--this.#opening === 0) this.#release();
  }

  /** Counts the stored events for the response, and sends them after it. */
  async #subscribe(filter: EventFilter) {
    const id = randomUUID();
    const { thread_id, access, socket } = this.#options;
    this.#unsent.set(id, []);
    const stream = new EventStream(this.#deps, thread_id, access, filter, {
      send: (events) => this.#deliver(id, events),
      onProgress: () => this.#flush(),
      end: () => socket.close(TRY_AGAIN, 'The stream cannot continue here'),
    });
    this.#streams.set(id, stream);
    try {
      await stream.ready;
      for (const { position } of this.#streams.values()) stream.startAt(position);
    } catch (error) {
      stream.close();
      this.#streams.delete(id);
      throw error;
    }
    return { result: { subscription_id: id, replayed_events: await stream.replay() } };
  }

  async #reconnect(filter: EventFilter) {
    const { since } = filter;
    if (since !== undefined) {
      const { oldest_ms, forgotten } = await findReplayStart(
        this.#deps.db,
        this.#options.thread_id,
        msOf(since),
      );
      if (forgotten) {
        const oldest = oldest_ms ?? Date.now();
        throw new CommandRefused('resume_gap', 'Events since then are no longer stored', {
          since,
          min_available_seq: seqAt(oldest),
        });
      }
    }
    return this.#subscribe(filter);
  }

  async #unsubscribe(id: string) {
    const stream = this.#streams.get(id);
    if (!stream) throw new CommandRefused('no_such_subscription', `No subscription ${id.slice(0, 100)}`);
    stream.close();
    this.#streams.delete(id);
    this.#flush();
    return { result: {} };
  }

  #deliver(id: string, events: Envelope[]): void {
    const unsent = this.#unsent.get(id);
    if (unsent) unsent.push(...events);
    else this.#order.add(events, this.#streams.get(id)?.position ?? START);
  }

  /**
   * Sends the events of all subscriptions once, in a single order: clients pass each event to all their subscriptions
   * and stop at the end of a run. Stored events of subscriptions opened together follow the last response.
   */
  #release(): void {
    for (const answer of this.#answers.splice(0)) this.#send(answer);
    for (const [id, events] of this.#unsent)
      this.#order.add(events, this.#streams.get(id)?.position ?? START);
    this.#unsent.clear();
    this.#flush();
  }

  #flush(): void {
    if (this.#opening > 0) return;
    const readers = [...this.#streams.values()].map(({ position }) => position);
    for (const event of this.#order.take(readers)) this.#send(event);
  }

  #send(message: object): void {
    const { socket } = this.#options;
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(message));
    if (socket.bufferedAmount > this.#deps.config.SLIPWAY_READER_LIMIT_BYTES) socket.terminate();
  }

  #beat(): void {
    const { socket } = this.#options;
    // A pong may have arrived while this process was stalled, and be read after this.
    if (this.#unanswered > 1) return socket.terminate();
    this.#unanswered++;
    socket.ping();
    // A subscription never sees events sent before it started listening.
    const { oldest } = this.#order;
    if (oldest !== undefined && oldest === this.#waited && this.#opening === 0)
      for (const event of this.#order.take()) this.#send(event);
    this.#waited = this.#order.oldest;
  }

  #close(): void {
    clearInterval(this.#heartbeat);
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }
}
