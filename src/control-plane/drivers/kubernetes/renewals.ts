import { findRevision } from '../../records/revision-repository.ts';
import type { RevisionRow } from '../../records/revision.ts';
import type { InstanceRow } from '../instance-repository.ts';
import { artifactAddress } from './artifact-address.ts';
import { artifactSecret } from './agent-objects.ts';
import type { KubernetesDriverOptions } from './kubernetes-driver-options.ts';
import { ownerLabels, pullSecretName } from './object-names.ts';
import { pulledImage, pullSecret } from './pull-secret.ts';

// Per lifetime of an address.
const RENEWALS = 2;
// Logins of credential helpers are valid for an hour or more.
const LOGIN_MS = 1_200_000;

/** Keeps artifact addresses and pull credentials valid, because pods may be created at any time. */
export class Renewals {
  readonly #options: KubernetesDriverOptions;
  readonly #dueAt = new Map<string, number>();

  constructor(options: KubernetesDriverOptions) {
    this.#options = options;
  }

  /** Renews what is due for a running revision. Retries a failed login at the next renewal. */
  async look({ revision_id, state, replica }: InstanceRow): Promise<void> {
    const { db, config } = this.#options;
    const dueAt = this.#dueAt.get(revision_id) ?? 0;
    if (state !== 'running' || replica > 0 || Date.now() < dueAt) return;
    const revision = await findRevision(db, revision_id);
    if (!revision) return;
    const isImage = !revision.artifact?.startsWith('sha256:');
    await (isImage ? this.#renewLogin(revision) : this.#renewAddress(revision));
    const everyMs = isImage ? LOGIN_MS : (config.SLIPWAY_ARTIFACT_URL_SECONDS * 1000) / RENEWALS;
    this.#dueAt.set(revision_id, Date.now() + everyMs);
  }

  async #renewAddress(revision: RevisionRow): Promise<void> {
    const { box, cluster, config } = this.#options;
    const address = artifactAddress(config, box, revision);
    if (address) await cluster.apply(artifactSecret(config, revision, address));
  }

  async #renewLogin(revision: RevisionRow): Promise<void> {
    const { cluster, config, log } = this.#options;
    const { id } = revision;
    try {
      const pulled = await pulledImage(this.#options, revision);
      const metadata = { name: pullSecretName(id), labels: ownerLabels(config.SLIPWAY_PLATFORM, revision) };
      if (pulled?.credential) await cluster.apply(pullSecret(metadata, pulled.credential));
    } catch (error) {
      log.warn({ err: error, revision_id: id }, 'an image pull credential could not be renewed');
    }
  }
}
