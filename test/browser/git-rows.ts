import { expect, test } from '@jest/globals';
import type { Queryable } from '../../src/platform/db/database.ts';
import { ask } from '../support/platform.ts';
import { type Browsing, expectNothing } from './browse.ts';

/** Tests of deployment sources: git hosts, pull requests and pushed images. */
export function gitRows(browsing: Browsing, url: () => string, db: () => Queryable): void {
  test('adds an integration with a webhook secret for use by deployments', async () => {
    const { page, visit, check } = browsing;
    await visit('/workspace/integrations');
    await page.getByRole('heading', { name: 'No git hosts yet' }).waitFor();
    await page.getByRole('button', { name: 'Add integration' }).click();
    await page.getByLabel('Name', { exact: true }).fill('acme');
    await page.getByLabel('Host', { exact: true }).selectOption('gitlab');
    await page.getByLabel('Token', { exact: true }).fill('glpat-1');
    await page.getByLabel('Known hosts').fill('gitlab.com ssh-ed25519 AAAA');
    await page.getByLabel('Repositories').fill('acme');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('line 1 must be a URL').waitFor();
    await page.getByLabel('Repositories').fill('https://gitlab.com/acme/agents/support.git next');
    await expectNothing(page);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page
      .getByRole('row', { name: /acme https:\/\/gitlab.com token, known hosts 1 No secret/ })
      .waitFor();
    await page.getByRole('button', { name: 'Edit acme' }).click();
    await page.getByRole('checkbox', { name: 'known hosts' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /acme https:\/\/gitlab.com token 1 No secret/ }).waitFor();
    await page.getByRole('button', { name: 'Webhook of acme' }).click();
    await page.getByRole('button', { name: 'Create secret' }).click();
    expect(await page.getByRole('group', { name: 'Address' }).innerText()).toContain('/v2/git-events/');
    expect((await page.getByRole('group', { name: 'Secret' }).innerText()).length).toBeGreaterThan(15);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /Secret set/ }).waitFor();
    await check('settings-integrations');
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.getByRole('link', { name: 'New deployment' }).click();
    await page.getByLabel('Integration', { exact: true }).selectOption({ label: 'acme (gitlab)' });
    expect(await page.locator('datalist option').getAttribute('value')).toContain('acme/agents/support');
  });

  test('clears the branch of a deployment and enables previews', async () => {
    const { page, visit } = browsing;
    const { json: made } = await ask(url(), 'POST', '/v2/deployments', {
      name: 'from-git',
      source: 'git_host',
      // An unreachable host; nothing has to be built.
      source_config: { repo_url: 'https://127.0.0.1:9/acme/agent.git', install_command: 'true' },
      source_revision_config: { repo_ref: 'next' },
    });
    await visit(`/deployments/${made.id}/edit`);
    await page.getByLabel('Branch, tag or commit').fill('');
    await page.getByLabel('Install command').fill('');
    await page.getByRole('switch', { name: 'Preview pull requests' }).press('Space');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'No open pull requests' }).waitFor();
    await page.getByRole('link', { name: '#2' }).click();
    await page.getByText('Deployment failed').waitFor();
    await visit(`/threads?deployment=${made.id}`);
    await page.getByRole('heading', { name: 'Not running yet' }).waitFor();
    const { json } = await ask(url(), 'GET', `/v2/deployments/${made.id}`);
    expect(json.source_config).toMatchObject({ preview_pull_requests: true, install_command: '' });
    expect(json.source_revision_config.repo_ref).toBe('');
    await ask(url(), 'DELETE', `/v2/deployments/${made.id}`);
  });

  test('rejects an image the driver cannot run in the form', async () => {
    const { page, visit } = browsing;
    await visit('/deployments/new');
    await page.getByLabel('Name', { exact: true }).fill('pushed');
    await page.getByText('Push', { exact: true }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('The process driver cannot run').waitFor();
  });

  test('explains how to push an image', async () => {
    const { page, visit, check } = browsing;
    const { json: made } = await ask(url(), 'POST', '/v2/deployments', {
      name: 'pushed',
      source: 'internal_source',
      secrets: [],
    });
    // As if it had been created with another driver.
    await db().query(`update control_plane.deployment set source = 'internal_container' where id = $1`, [
      made.id,
    ]);
    await visit(`/deployments/${made.id}`);
    await page.getByRole('button', { name: 'Create push token' }).click();
    const command = await page.getByRole('group', { name: 'Sign-in command' }).innerText();
    expect(command).toMatch(/^echo \S+ \| docker login -u \S+ --password-stdin \S+$/);
    await check('deployment-push');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'pushed was deleted' }).waitFor();
  });
}
