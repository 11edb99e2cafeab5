import { until } from '../pacing.ts';

interface Deployment {
  id: string;
  latest_revision_id: string;
}

interface Revision {
  status: string;
  status_message: string | null;
}

const SETTLED = /^(DEPLOYED|SKIPPED|INTERRUPTED|.*_FAILED)$/;

/** The platform's API, as far as rollouts need it. Errors contain the platform's message. */
export class DeploymentsApi {
  readonly #url: string;
  readonly key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.key = key;
  }

  addressOf(deploymentId: string): string {
    return `${this.#url}/d/${deploymentId}`;
  }

  create(body: object): Promise<Deployment> {
    return this.#send('POST', '/v2/deployments', body);
  }

  /** Returns the new revision. */
  async patch(id: string, body: object): Promise<string> {
    return (await this.#send<Deployment>('PATCH', `/v2/deployments/${id}`, body)).latest_revision_id;
  }

  async redeploy(id: string, revision: string): Promise<string> {
    const path = `/v2/deployments/${id}/revisions/${revision}/redeploy`;
    return (await this.#send<Deployment>('POST', path)).latest_revision_id;
  }

  async interrupt(id: string, revision: string): Promise<void> {
    await this.#send('POST', `/v2/deployments/${id}/revisions/${revision}/interrupt`);
  }

  revision(id: string, revision: string): Promise<Revision> {
    return this.#send('GET', `/v2/deployments/${id}/revisions/${revision}`);
  }

  /** Waits for a status; throws if the revision ends in another one. */
  async reaches(id: string, revision: string, wanted: string, withinMs = 120_000): Promise<void> {
    await until(`revision ${revision} is ${wanted}`, withinMs, async () => {
      const { status, status_message } = await this.revision(id, revision);
      if (status !== wanted && SETTLED.test(status))
        throw new Error(`${status} instead of ${wanted}: ${status_message}`);
      return status === wanted;
    });
  }

  /** Deletes a deployment and waits until it is gone. */
  async remove(id: string, withinMs = 60_000): Promise<void> {
    await this.#send('DELETE', `/v2/deployments/${id}`);
    await until(`deployment ${id} is gone`, withinMs, async () => {
      const { status } = await this.#fetch('GET', `/v2/deployments/${id}`);
      return status === 404;
    });
  }

  async #send<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#fetch(method, path, body);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (text ? JSON.parse(text) : undefined) as Answer;
  }

  #fetch(method: string, path: string, body?: object): Promise<Response> {
    return fetch(this.#url + path, {
      method,
      headers: { 'x-api-key': this.key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
}
