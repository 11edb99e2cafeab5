import { afterAll } from '@jest/globals';
import { type Running, startSlipway } from './slipway-command.ts';

export const HOST_TOKEN = 'a-token-of-thirty-two-characters!';

export interface HostContainer extends Running {
  /** Kills `slipway host` and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts `slipway host`, or another command, with only PATH and `env`; it is killed after the file's tests. */
export function useHostContainers(): (options: {
  address: string;
  config: string;
  env?: Record<string, string>;
  command?: string;
}) => HostContainer {
  const started: HostContainer[] = [];
  afterAll(async () => {
    await Promise.all(started.map((container) => container.kill()));
  });
  return ({ address, config, env, command = 'host' }) => {
    const running = startSlipway([command, '--config', config], {
      ...env,
      SLIPWAY_HOST_ADDRESS: address,
      SLIPWAY_HOST_TOKEN: HOST_TOKEN,
    });
    const kill = async () => {
      running.child.kill('SIGKILL');
      await running.ended;
    };
    const container = { ...running, kill };
    started.push(container);
    return container;
  };
}
