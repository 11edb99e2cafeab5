import type Docker from 'dockerode';
import { StartFailed } from '../../errors.ts';
import { configuredRules, type FenceSettings } from '../../fence/configured-rules.ts';
import type { Destination } from '../../fence/destinations.ts';
import { fenceRules } from '../../fence/rules.ts';
import { type EngineMachine, lookAtMachine } from './engine-machine.ts';
import { runInside } from './run-once.ts';

const APPLY = `printf %s "$1" | nft -f -`;

export interface Opening {
  /** What may be reached besides the Internet. */
  allow: Destination[];
  /** TCP ports that others may connect to. */
  inbound: number[];
}

/** Sets the rules of the fence in the network of a container. */
export class ContainerFence {
  readonly #docker: Docker;
  readonly #image: string;
  readonly #settings: FenceSettings;
  #machine: Promise<EngineMachine> | undefined;

  constructor(docker: Docker, image: string, settings: FenceSettings) {
    this.#docker = docker;
    this.#image = image;
    this.#settings = settings;
  }

  /** Replaces rules that are there. Throws StartFailed if they can't be set. */
  async close(container: string, { allow, inbound }: Opening): Promise<void> {
    const { addresses, resolvers } = await this.#lookAtMachine();
    const configured = await configuredRules(this.#settings);
    const rules = fenceRules({
      ...configured,
      table: 'slipway_fence',
      allow: [...configured.allow, ...allow],
      deny: [...configured.deny, ...addresses],
      resolvers,
      inbound,
    });
    const command = ['/bin/sh', '-c', APPLY, 'slipway-fence', rules];
    const { code, output } = await runInside(this.#docker, this.#docker.getContainer(container), command);
    if (code !== 0)
      throw new StartFailed(
        `the network fence cannot be set; SLIPWAY_DOCKER_BASE_IMAGE must be an image of this version's Dockerfile: ${output}`,
      );
  }

  #lookAtMachine(): Promise<EngineMachine> {
    this.#machine ??= lookAtMachine(this.#docker, this.#image).catch((error: unknown) => {
      this.#machine = undefined;
      throw error;
    });
    return this.#machine;
  }
}
