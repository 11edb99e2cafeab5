import type Docker from 'dockerode';
import type { DriverOptions } from '../driver-options.ts';
import { InstanceDriver } from '../instance-driver.ts';
import { InstanceContainers } from './instance-containers.ts';

/** Runs each replica of a revision in containers, which outlive the worker that started them. */
export class DockerDriver extends InstanceDriver {
  /** `host` of the options names the engine. */
  constructor(options: DriverOptions, docker: Docker) {
    super(options, new InstanceContainers(options, docker));
  }
}
