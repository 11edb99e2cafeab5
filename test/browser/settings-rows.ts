import { expect, test } from '@jest/globals';
import { ask } from '../support/platform.ts';
import { type Browsing, expectNothing } from './browse.ts';

/** Tests of the workspace's settings and audit log; a deployment must have been created with a GREETING. */
export function settingsRows(browsing: Browsing, url: () => string): void {
  test('creates a key, shows it once and revokes it', async () => {
    const { page, visit, check } = browsing;
    await visit('/workspace');
    await page.waitForURL('**/workspace/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('must not be empty').waitFor();
    await expectNothing(page);
    await page.getByLabel('Name', { exact: true }).fill('ci');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByRole('group', { name: 'Key' }).innerText();
    expect((await ask(url(), 'GET', '/v2/session', undefined, { 'x-api-key': key })).json).toMatchObject({
      name: 'ci',
      role: 'deployer',
    });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Revoke ci' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row', { name: /ci/ }).getByText('Revoked').waitFor();
    await check('settings-keys');
    expect((await ask(url(), 'GET', '/v2/session', undefined, { 'x-api-key': key })).status).toBe(401);
  });

  test('shows members, limits and retention', async () => {
    const { page, visit, check } = browsing;
    await visit('/workspace/members');
    await page.getByText('this session').waitFor();
    await check('settings-members');
    await visit('/workspace/limits');
    await page.getByText('1 of 1000').waitFor();
    await page.getByRole('row', { name: /query-user/ }).waitFor();
    await check('settings-limits');
    await visit('/workspace/retention');
    await page.getByText('30 days').waitFor();
    await check('settings-retention');
  });

  test('converts prices per million tokens', async () => {
    const { page, visit, check } = browsing;
    await visit('/workspace/prices');
    await page.getByRole('button', { name: 'Add price' }).click();
    await page.getByLabel('Name', { exact: true }).fill('ours');
    await page.getByLabel('Models').fill('^ours-');
    await page.getByLabel(/input tokens/).fill('0.15');
    await page.getByLabel(/output tokens/).fill('2.4');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('cell', { name: '$2.40' }).waitFor();
    const { json } = await ask(url(), 'GET', '/model-price-map');
    expect(json).toMatchObject([{ prompt_cost: '0.00000015', completion_cost: '0.0000024' }]);
    await check('settings-prices');
  });

  test('the audit log lists changes and verifies its integrity', async () => {
    const { page, visit, check } = browsing;
    await visit('/workspace/audit?action=createDeployment');
    await page.getByRole('button', { name: /details of createDeployment/ }).click();
    await page.getByRole('dialog').getByText('GREETING').waitFor();
    expect(await page.getByRole('dialog').innerText()).not.toContain('hello');
    await expectNothing(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The log is intact').waitFor();
    await check('settings-audit');
  });
}
