import { pino } from 'pino';
import { ProjectBuilder } from '../../src/control-plane/builds/project-builder.ts';
import {
  ControlPlaneSettings,
  type ControlPlaneSettings as Settings,
} from '../../src/control-plane/control-plane-settings.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { readSettings } from '../../src/platform/settings.ts';

/** A process that builds the project in its argument and prints the log, like a worker about to be killed. */
const revision = JSON.parse(process.argv[2]!) as RevisionRow;
const settings: Settings = readSettings(ControlPlaneSettings, process.env);
const log = pino({ base: null, timestamp: false });
const { signal } = new AbortController();
try {
  const built = await new ProjectBuilder(settings).build({
    revision,
    environment: [],
    log: (line) => log.info(line),
    signal,
  });
  log.info(built, 'built');
} catch (error) {
  log.error((error as Error).message);
}
