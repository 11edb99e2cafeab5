import { createHash, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { until } from '../support/until.ts';
import { useGateway } from './gateway-fixture.ts';

// Failed runs abort a canary. Anyone may use a public agent, so nobody may choose that a request goes to the canary.
const platform = useGateway();
const { key, upstream, revision, serving } = platform;

const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await request(`${platform.url}${path}`, { headers });
  const { name } = (await answer.body.json()) as { name?: string };
  return { status: answer.statusCode, name, by: answer.headers['x-slipway-revision'] };
};

/** A deployment open to strangers, with a canary that gets 30 percent of its threads. */
async function tried(open: 'public' | 'own auth') {
  const { id, revisionId } = await serving('serving');
  const canary = await revision(id, (await upstream('canary')).url);
  const { db } = platform;
  if (open === 'public')
    await db.query(`update control_plane.deployment set access = 'public' where id = $1`, [id]);
  else await db.query('update control_plane.revision set own_auth = true where deployment_id = $1', [id]);
  await db.query(
    `insert into control_plane.canary (revision_id, deployment_id, plan) values ($1, $2, '{"steps": [], "guard": {}}')`,
    [canary, id],
  );
  await db.query('insert into control_plane.traffic values ($1, $2, 30)', [id, canary]);
  await until('the canary gets requests', async () => (await get(`/d/${id}/threads`)).name === 'canary');
  return { id, revisionId, canary };
}
const bucketOfAnyone = (thread: string) =>
  (createHash('sha256').update(thread).digest().readUInt32BE() / 2 ** 32) * 100;

test.each(['public', 'own auth'] as const)(
  'a stranger cannot choose the canary, nor see which revision answers (%s)',
  async (open) => {
    const { id, revisionId, canary } = await tried(open);
    const foreseen = Array.from({ length: 700 }, () => randomUUID()).filter(
      (one) => bucketOfAnyone(one) < 30,
    );
    const answers = await Promise.all(
      foreseen.map((thread) => get(`/d/${id}/threads/${thread}/state`, { 'x-slipway-revision': canary })),
    );
    const share = answers.filter(({ name }) => name === 'canary').length / answers.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.45);
    expect(new Set(answers.map(({ by }) => by))).toEqual(new Set([undefined]));

    const named = (wanted: string) => get(`/d/${id}/threads`, { ...key, 'x-slipway-revision': wanted });
    expect(await named(canary)).toMatchObject({ name: 'canary', by: canary });
    expect(await named(revisionId)).toMatchObject({ name: 'serving', by: revisionId });
  },
);

test.each(['public', 'own auth'] as const)(
  'a canary’s own address needs a platform key until the trial ends (%s)',
  async (open) => {
    const { revisionId, canary } = await tried(open);
    expect((await get(`/r/${canary}/threads`)).status).toBe(401);
    expect((await get(`/r/${canary}/threads`, { authorization: 'Bearer of-the-project' })).status).toBe(401);
    expect((await get(`/r/${canary}/ok`)).status).toBe(200);
    expect(await get(`/r/${canary}/threads`, key)).toMatchObject({ status: 200, by: canary });
    expect((await get(`/r/${revisionId}/threads`)).status).toBe(200);
    await platform.db.query(`update control_plane.canary set state = 'aborted' where revision_id = $1`, [
      canary,
    ]);
    await platform.db.query('delete from control_plane.traffic where revision_id = $1', [canary]);
    await until('it is open again', async () => (await get(`/r/${canary}/threads`)).status === 200);
  },
);
