import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pino from 'pino';
import { artifactAddress } from '../../src/control-plane/builds/artifact-store.ts';
import { artifactFolder } from '../../src/control-plane/build-folders.ts';
import { ControlPlaneSettings } from '../../src/control-plane/control-plane-settings.ts';
import { insertDeployment } from '../../src/control-plane/records/deployment-repository.ts';
import type { DriverOptions } from '../../src/control-plane/drivers/driver-options.ts';
import { ensureGatewayToken, gatewayTokenHeader } from '../../src/control-plane/gateway/gateway-token.ts';
import { insertRevision, stepRevision } from '../../src/control-plane/records/revision-repository.ts';
import type { RevisionRow } from '../../src/control-plane/records/revision.ts';
import { sealEnvironment } from '../../src/control-plane/secrets/environment.ts';
import { SealedBox } from '../../src/control-plane/secrets/sealed-box.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { createDatabase } from '../support/use-database.ts';

export const KEY = 'a key of the tests';

/** The process driver's environment: a migrated database, the test run's Temporal, a folder for artifacts. */
export function useDriverOptions(settings: Record<string, string> = {}): () => DriverOptions {
  let options: DriverOptions;
  let connection: Connection;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createDatabase();
    drop = database.drop;
    const db = openDatabase({ url: database.url, poolSize: 10 });
    await migrate(db, 'control-plane', new URL('migrations/control-plane/', packageRoot));
    const address = process.env['TEST_TEMPORAL_ADDRESS']!;
    connection = await Connection.connect({ address });
    options = {
      config: readSettings(ControlPlaneSettings, { SLIPWAY_TRACE_AGENTS: 'false', ...settings }),
      db,
      box: new SealedBox([KEY]),
      log: pino({ level: 'silent' }),
      databaseUrl: database.url,
      temporal: { address, namespace: 'default' },
      client: new Client({ connection }),
      dataDir: await mkdtemp(join(tmpdir(), 'slipway-driver-')),
      host: `test-${randomUUID()}`,
    };
    // Agents run as other users.
    await chmod(options.dataDir, 0o711);
  });
  afterAll(async () => {
    await options.db.end();
    await connection.close();
    await drop();
    await rm(options.dataDir, { recursive: true, force: true });
  });
  return () => options;
}

/** The source of a graph with one node. */
export const graph = (node: string): string => `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ ms: Annotation(), said: Annotation() });
export const graph = new StateGraph(State).addNode('say', ${node}).addEdge(START, 'say').compile();
`;

/** A project whose agent waits for `ms`, then returns a value from its environment. */
export const GREETER = {
  'package.json': '{"type":"module"}',
  'graph.json': '{"graphs":{"agent":"./agent.js:graph"}}',
  'agent.js': graph(`async ({ ms = 0 }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { said: process.env.GREETING + ' ' + Object.keys(process.env).filter((name) => /PLATFORM/.test(name)) };
  }`),
};

const MODULES = fileURLToPath(new URL('node_modules', packageRoot));

/** Stores a project as the builder would, with links to existing packages. Returns its address. */
export async function placeArtifact(
  dataDir: string,
  files: Record<string, string>,
  modules = MODULES,
): Promise<string> {
  const project = join(dataDir, `project-${randomUUID()}`);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), content);
  }
  await symlink(modules, join(project, 'node_modules'));
  const artifact = await artifactAddress(project);
  const folder = artifactFolder(dataDir, artifact);
  await mkdir(dirname(folder), { recursive: true });
  // The same project already exists.
  await rename(project, folder).catch(() => {});
  return artifact;
}

/** A revision about to be deployed, of a new deployment unless one is given. */
export async function insertDeployable(
  { db, box }: Pick<DriverOptions, 'db' | 'box'>,
  artifact: string,
  about: {
    environment?: Record<string, string>;
    resource_spec?: object;
    source_config?: Record<string, unknown>;
    deployment_id?: string;
    /** Leaves the steps to a workflow. */
    untouched?: boolean;
  } = {},
): Promise<RevisionRow> {
  const deployment_id = about.deployment_id ?? randomUUID();
  const source = 'internal_source' as const;
  const source_config = {
    ...about.source_config,
    ...(about.resource_spec && { resource_spec: about.resource_spec }),
  };
  if (!about.deployment_id)
    await insertDeployment(db, {
      id: deployment_id,
      tenant_id: randomUUID(),
      name: deployment_id,
      source,
      source_config,
    });
  const id = randomUUID();
  const secrets = Object.entries(about.environment ?? {}).map(([name, value]) => ({ name, value }));
  const revision = await insertRevision(db, {
    id,
    deployment_id,
    source,
    source_config,
    source_revision_config: {},
    environment: sealEnvironment(box, id, secrets),
    secret_references: null,
    artifact,
    created_by: 'a test',
    reason: 'a test',
    pinned: false,
  });
  if (about.untouched) return revision;
  await stepRevision(db, id, 'AWAITING_DEPLOY');
  await stepRevision(db, id, 'DEPLOYING');
  return { ...revision, status: 'DEPLOYING' };
}

/** The headers that a revision's gateway adds, which its agent requires. */
export const gatewayHeaders = async (
  options: Pick<DriverOptions, 'db' | 'box'>,
  revisionId: string,
): Promise<Record<string, string>> => gatewayTokenHeader(await ensureGatewayToken(options, revisionId));
