import type Docker from 'dockerode';
import type { DriverOptions } from '../driver-options.ts';
import { InstanceDriver } from '../instance-driver.ts';
import { InstanceContainers } from './instance-containers.ts';

/** Runs each replica of a revision as a container, which outlives the worker that started it. */
export class DockerDriver extends InstanceDriver {
  /** The options' `host` is that of the engine. */
  constructor(options: DriverOptions, docker: Docker) {
    super(options, new InstanceContainers(options, docker));
  }
}
