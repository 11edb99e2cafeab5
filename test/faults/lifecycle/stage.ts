import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeploymentsApi } from '../../../bench/rollouts/deployments-api.ts';
import { FIRST_TENANT_ID } from '../../../src/control-plane/access/first-api-key.ts';
import { insertDeployment } from '../../../src/control-plane/records/deployment-repository.ts';
import { insertRevision, stepRevision } from '../../../src/control-plane/records/revision-repository.ts';
import { sealEnvironment } from '../../../src/control-plane/secrets/environment.ts';
import { SealedBox } from '../../../src/control-plane/secrets/sealed-box.ts';
import { LINK } from '../../control-plane/build-setting.ts';
import { placeArtifact } from '../../control-plane/control-plane-fixture.ts';
import { at } from '../../support/agent-project.ts';
import type { TestPlatform } from '../../support/platform.ts';

const PROJECT = at('bench/rollouts/project');

// Holds a revision in a state: its next step waits while a row exists.
const HOLDS = `
  create schema faults;
  create table faults.hold (deployment_id uuid, status text);
  create function faults.wait() returns trigger language plpgsql as $$
  begin
    while exists (select from faults.hold h where h.deployment_id = new.deployment_id and h.status = old.status) loop
      perform pg_sleep(0.05);
    end loop;
    return new;
  end $$;
  create trigger held before update of status on control_plane.revision for each row
    when (new.status is distinct from old.status) execute function faults.wait()`;

/** Deployments on a running platform, whose revisions can be held in any state. */
export class Stage {
  readonly platform: TestPlatform;
  /** Files that hold up agents and builds; both run as other users. */
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-stage-'));

  constructor(platform: TestPlatform) {
    this.platform = platform;
    chmodSync(this.folder, 0o755);
  }

  get #repository(): string {
    return join(this.folder, 'repository');
  }

  async open(): Promise<void> {
    await this.platform.db.query(HOLDS);
    cpSync(PROJECT, this.#repository, { recursive: true });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: this.#repository });
    git('init', '--quiet', '--initial-branch=main');
    git('add', '--all');
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message', 'agent');
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Creates a serving deployment; returns it and its revision. */
  async deploy(api: DeploymentsApi): Promise<{ id: string; revision: string }> {
    const { db, env, dataDir } = this.platform;
    const [id, built] = [randomUUID(), randomUUID()];
    const artifact = await placeArtifact(dataDir, {
      'graph.json': '{"graphs":{"agent":"./agent.js:graph"}}',
    });
    const source = 'git_host' as const;
    const install_command = `while [ -e ${this.#file(id, 'build')} ]; do sleep 0.1; done; ${LINK}`;
    const source_config = { repo_url: `file://${this.#repository}`, install_command, build_on_push: false };
    await insertDeployment(db, { id, tenant_id: FIRST_TENANT_ID, name: id, source, source_config });
    const box = new SealedBox([env['SLIPWAY_SECRET_KEY']!]);
    await insertRevision(db, {
      id: built,
      deployment_id: id,
      source,
      source_config,
      source_revision_config: { repo_ref: 'main' },
      environment: sealEnvironment(box, built, this.environment(id)),
      secret_references: null,
      artifact,
      created_by: 'a test',
      reason: 'a test',
      pinned: false,
    });
    await stepRevision(db, built, 'INTERRUPTED');
    const revision = await api.redeploy(id, built);
    await api.reaches(id, revision, 'DEPLOYED');
    return { id, revision };
  }

  environment(id: string, more: Record<string, string> = {}): { name: string; value: string }[] {
    const all = { HOLD_START: this.#file(id, 'start'), HOLD_STOP: this.#file(id, 'stop'), ...more };
    return Object.entries(all).map(([name, value]) => ({ name, value }));
  }

  /** Keeps the deployment's revisions from leaving a state. */
  async hold(id: string, status: string): Promise<void> {
    await this.platform.db.query('insert into faults.hold values ($1, $2)', [id, status]);
  }

  /** Keeps agents from starting or stopping, or the build from ending. */
  holdFile(id: string, what: 'start' | 'stop' | 'build'): void {
    writeFileSync(this.#file(id, what), '');
  }

  async release(id: string): Promise<void> {
    for (const what of ['start', 'stop', 'build']) rmSync(this.#file(id, what), { force: true });
    await this.platform.db.query('delete from faults.hold where deployment_id = $1', [id]);
  }

  /** Processes of the deployment's build. */
  building(id: string): Promise<number[]> {
    return existsSync(this.#file(id, 'build'))
      ? processesNaming(this.#file(id, 'build'))
      : Promise.resolve([]);
  }

  #file(id: string, what: string): string {
    return join(this.folder, `${id}.${what}`);
  }
}

/** Processes of this machine whose command line contains the given text. */
export async function processesNaming(text: string): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_pid, index) => lines[index]!.includes(text));
}

/** The process group of a process; 0 if it has ended. */
export async function groupOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2] ?? 0);
}
