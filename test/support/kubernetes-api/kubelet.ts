import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ContainerLog, ContainerProcess, type Exit } from './container-process.ts';
import { containerCommand, type NodeImage } from './container-command.ts';
import { quantity } from './object-rules.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import type { ServiceProxy } from './service-proxy.ts';

export interface KubeletOptions {
  store: ObjectStore;
  services: ServiceProxy;
  /** Images this node can pull, by reference. */
  images: Map<string, NodeImage>;
  /** Longest wait between two starts of a container that crashes. */
  backOffMs: number;
}

interface Probe {
  httpGet: { path: string; port: number };
  periodSeconds: number;
  failureThreshold: number;
}

interface Container {
  name: string;
  image: string;
  resources?: { limits?: Record<string, string> };
  startupProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop?: { exec: { command: string[] } } };
}

const run = promisify(execFile);
const FIRST_BACK_OFF_MS = 250;
// Minimum time for a pod after its preStop, however little of its grace period is left.
const LEAST_GRACE_MS = 2_000;
const MB = 1_048_576;
let lastAddress = Math.floor(Math.random() * 60_000);

/** An unused address of the loopback network. */
const newAddress = (): string => {
  lastAddress++;
  return `127.77.${(lastAddress >> 8) & 255}.${lastAddress & 255 || 1}`;
};

/** Runs the containers of one pod as processes of this machine, and keeps the pod's status up to date. */
export class PodRun {
  readonly logs = new Map<string, ContainerLog[]>();
  readonly #options: KubeletOptions;
  readonly #pod: StoredObject;
  readonly #ip = newAddress();
  #status: any;
  #folder = '';
  #process: ContainerProcess | undefined;
  #graceMs = Infinity;
  #endingSince: number | undefined;
  #tell = () => {};

  constructor(options: KubeletOptions, pod: StoredObject) {
    this.#options = options;
    this.#pod = pod;
    const waiting = ({ name, image }: Container) => ({
      name,
      image,
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason: 'PodInitializing' } },
      lastState: {},
    });
    this.#status = {
      phase: 'Pending',
      podIP: this.#ip,
      conditions: [{ type: 'PodScheduled', status: 'True' }],
      initContainerStatuses: (pod.spec.initContainers ?? []).map(waiting),
      containerStatuses: pod.spec.containers.map(waiting),
    };
    void this.#live();
  }

  /** Kills the program of its first container, as the system would. */
  crash(): void {
    this.#process?.signal('SIGKILL');
  }

  /** CPU and memory of its first container, on average since its start. */
  usage(): { cpu: string; memory: string } | undefined {
    return this.#process?.usage();
  }

  /** Grace period in ms; may only be shortened. */
  end(graceMs: number): void {
    this.#endingSince ??= Date.now();
    if (graceMs >= this.#graceMs) return;
    this.#graceMs = graceMs;
    this.#tell();
  }

  async #live(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'slipway-pod-'));
    for (const { name } of this.#pod.spec.volumes ?? []) await mkdir(join(this.#folder, name));
    this.#write();
    const ending = this.#terminate();
    for (const [index, container] of (this.#pod.spec.initContainers ?? []).entries())
      await this.#runContainer(container, this.#status.initContainerStatuses[index], true);
    await Promise.all(
      this.#pod.spec.containers.map((container: Container, index: number) =>
        this.#runContainer(container, this.#status.containerStatuses[index], false),
      ),
    );
    await ending;
    await rm(this.#folder, { recursive: true, force: true });
    this.#options.store.remove('pods', this.#pod.metadata.name);
  }

  /** Ends a pod like a kubelet: preStop, SIGTERM, then SIGKILL after the grace period. */
  async #terminate(): Promise<void> {
    await new Promise<void>((resolve) =>
      this.#endingSince === undefined ? (this.#tell = resolve) : resolve(),
    );
    this.#status.conditions = this.#status.conditions.filter(
      ({ type }: { type: string }) => type !== 'Ready',
    );
    this.#write();
    const left = () => this.#endingSince! + this.#graceMs - Date.now();
    const [container] = this.#pod.spec.containers as Container[];
    const preStop = container!.lifecycle?.preStop?.exec.command;
    if (preStop && this.#process)
      await Promise.race([run(preStop[0]!, preStop.slice(1)).catch(() => {}), this.#until(left)]);
    const deadline = Date.now() + LEAST_GRACE_MS;
    this.#process?.signal('SIGTERM');
    const gone = this.#process?.ended ?? Promise.resolve();
    await Promise.race([gone, this.#until(() => Math.max(left(), deadline - Date.now()))]);
    this.#process?.signal('SIGKILL');
  }

  /** Waits for a time that another call may shorten. */
  async #until(left: () => number): Promise<void> {
    while (left() > 0) await sleep(Math.min(left(), 50), undefined, { ref: false });
  }

  /** The pod's pull credentials for an image's registry. */
  #passwordFor(image: string): string | undefined {
    const named = (this.#pod.spec.imagePullSecrets ?? []) as { name: string }[];
    const passwords = named.map(({ name }) => {
      const secret = this.#options.store.find('secrets', name) as
        { data?: Record<string, string> } | undefined;
      const text = Buffer.from(secret?.data?.['.dockerconfigjson'] ?? '', 'base64').toString() || '{}';
      const { auths } = JSON.parse(text) as { auths?: Record<string, { password: string }> };
      return auths?.[image.split('/')[0]!]?.password;
    });
    return passwords.find((password) => password !== undefined);
  }

  async #runContainer(container: Container, status: any, isInit: boolean): Promise<void> {
    for (let backOff = FIRST_BACK_OFF_MS; this.#endingSince === undefined; backOff *= 2) {
      const known = this.#options.images.get(container.image);
      const image = known?.admits?.(this.#passwordFor(container.image)) === false ? undefined : known;
      const failure = image ? this.#missing(container) : undefined;
      if (!image || failure) {
        status.state = { waiting: failure ?? pullFailure(container.image, status.state.waiting?.reason) };
        this.#write();
      } else {
        const exit = await this.#runOnce(container, image, status);
        const terminated = { ...exit, finishedAt: new Date().toISOString() };
        status.ready = false;
        status.started = false;
        status.state = { terminated };
        this.#setReady(false);
        if (isInit && exit.exitCode === 0) return;
        if (this.#endingSince !== undefined) return this.#write();
        this.#write();
        status.lastState = { terminated };
        status.state = {
          waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' },
        };
        status.restartCount++;
      }
      await Promise.race([sleep(Math.min(backOff, this.#options.backOffMs)), this.#whenTold()]);
      this.#write();
    }
  }

  async #whenTold(): Promise<void> {
    while (this.#endingSince === undefined) await sleep(50, undefined, { ref: false });
  }

  async #runOnce(container: Container, image: NodeImage, status: any): Promise<Exit> {
    const { store } = this.#options;
    const command = containerCommand(container, image, {
      store,
      ip: this.#ip,
      folderOf: (volume) => join(this.#folder, volume),
      hostname: this.#pod.metadata.name,
    });
    for (const [name, value] of Object.entries(command.env))
      command.env[name] = await this.#options.services.resolve(value);
    await mkdir(dirname(command.cwd), { recursive: true });
    const log = new ContainerLog();
    this.logs.set(container.name, [...(this.logs.get(container.name) ?? []), log]);
    const limit = container.resources?.limits?.['memory'];
    const memoryBytes = limit ? quantity(limit) : Infinity;
    // A control group counts Node's libraries differently, so limits too small for them are not enforced.
    const process = new ContainerProcess(command.argv, {
      ...command,
      memoryBytes: Math.max(memoryBytes, 128 * MB),
      log,
    });
    this.#process = process;
    status.imageID = image.id;
    status.state = { running: { startedAt: new Date().toISOString() } };
    this.#status.phase = 'Running';
    this.#write();
    if (container.startupProbe) void this.#probe(container, process, status);
    return process.ended;
  }

  async #probe({ startupProbe, readinessProbe }: Container, process: ContainerProcess, status: any) {
    const life = { isOver: false };
    void process.ended.then(() => (life.isOver = true));
    const startup = startupProbe!;
    for (let failures = 0; !life.isOver; failures++) {
      await sleep(startup.periodSeconds * 1_000, undefined, { ref: false });
      if (await this.#passes(startup)) break;
      if (failures >= startup.failureThreshold) return process.signal('SIGKILL');
    }
    if (life.isOver) return;
    status.started = true;
    this.#write();
    const readiness = readinessProbe ?? startup;
    for (let failures = 0; ;) {
      failures = (await this.#passes(readiness)) ? 0 : failures + 1;
      const isReady = failures === 0 || (status.ready && failures < readiness.failureThreshold);
      if (life.isOver || this.#endingSince !== undefined) return;
      if (isReady !== status.ready) {
        status.ready = isReady;
        this.#setReady(isReady);
        this.#write();
      }
      await sleep(readiness.periodSeconds * 1_000, undefined, { ref: false });
    }
  }

  async #passes({ httpGet: { path, port } }: Probe): Promise<boolean> {
    const answer = await fetch(`http://${this.#ip}:${port}${path}`, {
      signal: AbortSignal.timeout(1_000),
    }).catch(() => undefined);
    await answer?.body?.cancel();
    return answer !== undefined && answer.status < 400;
  }

  #setReady(ready: boolean): void {
    const others = this.#status.conditions.filter(({ type }: { type: string }) => type !== 'Ready');
    this.#status.conditions = [...others, { type: 'Ready', status: ready ? 'True' : 'False' }];
  }

  #missing(container: Container): { reason: string; message: string } | undefined {
    const secrets = [
      ...((container as any).envFrom ?? []).map((from: any) => [from.secretRef.name]),
      ...((container as any).env ?? [])
        .filter((variable: any) => variable.valueFrom?.secretKeyRef)
        .map((variable: any) => [variable.valueFrom.secretKeyRef.name, variable.valueFrom.secretKeyRef.key]),
    ] as [string, string?][];
    for (const [name, key] of secrets) {
      const secret = this.#options.store.find('secrets', name);
      const message = secret ? `couldn't find key ${key} in Secret ${name}` : `secret "${name}" not found`;
      if (!secret || (key && !(key in secret.data!)))
        return { reason: 'CreateContainerConfigError', message };
    }
    return undefined;
  }

  #write(): void {
    const found = this.#options.store.find('pods', this.#pod.metadata.name);
    if (found) this.#options.store.put('pods', { ...found, status: structuredClone(this.#status) });
  }
}

const pullFailure = (image: string, before: string | undefined) => ({
  reason: before === 'ErrImagePull' ? 'ImagePullBackOff' : 'ErrImagePull',
  message:
    before === 'ErrImagePull'
      ? `Back-off pulling image "${image}": not found`
      : `failed to pull and unpack image "${image}": failed to resolve reference "${image}": not found`,
});
