import type { DriverOptions } from '../driver-options.ts';
import { InstanceDriver } from '../instance-driver.ts';
import { InstanceProcesses } from './instance-processes.ts';

/** Runs each replica of a revision as its own process group, which outlives the worker that started it. */
export class ProcessDriver extends InstanceDriver {
  constructor(options: DriverOptions) {
    super(options, new InstanceProcesses(options));
  }
}
