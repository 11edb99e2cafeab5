import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Channel } from '../../../graph-protocol/channel.ts';
import type { Language } from '../../../graph-protocol/language.ts';
import type { ContainerProject } from '../../../graph-protocol/messages.ts';
import { RemoteError } from '../../../graph-protocol/remote-error.ts';
import { closeWhenSilent } from '../../../graph-protocol/silence.ts';
import { checkProject, type ProjectFile } from '../../project/project-config.ts';
import { describeToHost } from '../host-requests.ts';

const LONGEST_ENDING = 200;

export interface RemoteProject extends ProjectFile {
  /** Its LANGGRAPH_CONFIG. */
  assistants: string | undefined;
}

export interface StartedHost {
  /** Settles when the process has ended, with how it ended. */
  ended: Promise<string>;
  kill(): void;
}

/** The server's end of a connection from `slipway host`, which starts processes in another container. */
export class ContainerConnection {
  /** Settles with the reason when the connection ends. */
  readonly lost: Promise<Error>;
  /** Folder of the project in the container; empty before `project`. */
  dir = '';
  /** Whether the container is stopping, so that another may replace it. */
  isLeaving = false;
  /** This server's address, as the container reached it. */
  readonly #address: string | undefined;
  readonly #channel: Channel;

  constructor(socket: Socket) {
    const { localAddress, localPort } = socket;
    this.#address = localAddress === undefined ? undefined : `tcp:${localAddress}:${localPort}`;
    this.#channel = new Channel(socket, {
      handlers: {
        ping: () => null,
        leaving: () => {
          this.isLeaving = true;
          return null;
        },
      },
      describeError: describeToHost,
    });
    this.lost = this.#channel.closed;
    void closeWhenSilent(this.#channel);
  }

  /** Reads the container's project. Throws InvalidProject and RemoteError. */
  async project(): Promise<RemoteProject> {
    const { dir, file, config, assistants } = await this.#channel.call<ContainerProject>('project');
    const project = checkProject(join(String(dir), String(file)), config);
    this.dir = project.dir;
    return { ...project, assistants: assistants === undefined ? undefined : String(assistants) };
  }

  /** Starts a process that connects with the token. Its output is printed here. */
  start(language: Language, token: string): StartedHost {
    const kill = new AbortController();
    const ended = this.#channel.call<unknown>(
      'start',
      { language, token, address: this.#address },
      { signal: kill.signal, onData: print },
    );
    return {
      ended: ended.then(
        (how) => String(how).slice(0, LONGEST_ENDING),
        (error: unknown) => (error instanceof RemoteError ? error.message.slice(0, LONGEST_ENDING) : 'lost'),
      ),
      kill: () => kill.abort('killed'),
    };
  }

  close(): void {
    this.#channel.close();
  }
}

/** Returns a promise if the container should wait, because this process's output is full. */
function print(name: string, body: Buffer): Promise<void> | undefined {
  const stream = name === 'stderr' ? process.stderr : process.stdout;
  if (stream.write(body)) return undefined;
  return new Promise((resolve) => stream.once('drain', resolve));
}
