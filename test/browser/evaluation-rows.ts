import { expect, jest, test } from '@jest/globals';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { Client } from 'langsmith';
import { evaluate } from 'langsmith/evaluation';
import { until } from '../support/until.ts';
import { type Browsing, expectNothing } from './browse.ts';

const CAPITALS: Record<string, string> = { Norway: 'Oslo', Peru: 'Lima', Kenya: 'Nairobi' };

/** Tests of datasets, experiments and prompts on a platform whose first key is `apiKey`. */
export function evaluationRows(browsing: Browsing, platform: () => { url: string; apiKey: string }): void {
  let client: Client;
  let dataset: string;

  test('guides to the first dataset, then creates, edits and deletes one', async () => {
    const { page, visit, check } = browsing;
    const { url, apiKey } = platform();
    client = new Client({ apiUrl: `${url}/api/v1`, apiKey, webUrl: url });
    for await (const { id } of client.listDatasets()) await client.deleteDataset({ datasetId: id });
    await visit('/deployments');
    await page.getByRole('link', { name: 'Datasets' }).click();
    await page.getByRole('heading', { name: 'No datasets yet' }).waitFor();
    expect(await page.getByLabel('Command', { exact: true }).textContent()).toContain(`${url}/api/v1`);
    await check('datasets-empty');

    await page.getByRole('button', { name: 'New dataset' }).click();
    await page.getByLabel('Name', { exact: true }).fill('scratch');
    await page.getByRole('button', { name: 'Create dataset' }).click();
    await page.getByRole('heading', { name: 'No examples yet' }).waitFor();
    await page.getByRole('button', { name: 'New example' }).click();
    await page.getByLabel('Inputs').fill('{"country": ');
    await page.getByText('Invalid JSON').waitFor();
    await page.getByLabel('Inputs').fill('{"country": "Chile"}');
    await page.getByLabel('Reference outputs').fill('{"capital": "Valparaíso"}');
    await page.getByLabel('Splits').fill('south, small');
    await expectNothing(page);
    await page.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row', {
      name: /Chile Valparaíso small, south|Chile Valparaíso south, small/,
    });
    await row.click();
    await page.getByLabel('Reference outputs').fill('{"capital": "Santiago"}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Chile Santiago/ }).waitFor();
    // Older versions are read-only.
    await page.getByLabel('Version').selectOption({ index: 1 });
    await page.getByRole('row', { name: /Chile Valparaíso/ }).click();
    await page.getByLabel('Inputs').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No datasets yet' }).waitFor();
  });

  test('the URL that evaluate() prints shows the result of every example', async () => {
    const { page, visit, check } = browsing;
    ({ id: dataset } = await client.createDataset('capitals'));
    await client.createExamples({
      datasetId: dataset,
      inputs: Object.keys(CAPITALS).map((country) => ({ country })),
      outputs: Object.values(CAPITALS).map((capital) => ({ capital })),
    });
    const guesses = await experiment('guesses', (country) =>
      country === 'Peru' ? 'Cusco' : CAPITALS[country]!,
    );
    const knows = await experiment('knows', (country) => CAPITALS[country]!);
    expect(guesses.printed).toContain(`/datasets/${dataset}/compare?selectedSessions=`);

    await visit(guesses.printed);
    const table = page.getByRole('region', { name: 'Examples compared' });
    const peru = table.getByRole('row', { name: /Peru/ });
    await peru.getByText('Cusco').waitFor();
    expect(await peru.textContent()).toMatch(/Lima.*correct 0/);
    await page.getByLabel('Compare with another experiment').selectOption({ label: knows.name });
    await peru.getByText('correct 1 ▲ better').waitFor();
    const figures = page.getByRole('region', { name: 'Metrics' });
    await figures.getByRole('row', { name: /knows.* 1 better 3/ }).waitFor();
    // The first experiment is the baseline.
    await page.getByRole('link', { name: 'Change baseline' }).click();
    await peru.getByText('correct 0 ▼ worse').waitFor();
    await page.getByLabel('Sort examples').selectOption({ label: 'correct: lowest first' });
    await page.waitForURL((url) => url.searchParams.get('order') === 'correct');
    await check('experiments-compared');

    await peru.getByRole('button', { name: /whole/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('letter by letter').first().waitFor();
    await expectNothing(page);
    await page.keyboard.press('Escape');
    await peru.getByRole('link', { name: 'Cusco' }).click();
    await page.getByRole('tree', { name: 'Runs of the trace' }).waitFor();
  });

  test('shows metrics of experiments and compares selected ones', async () => {
    const { page, visit, check } = browsing;
    await visit(`/datasets/${dataset}`);
    const table = page.getByRole('region', { name: 'Experiments' });
    await table.getByRole('columnheader', { name: 'correct' }).waitFor();
    await page.getByRole('checkbox', { name: /knows/ }).click();
    await page.getByRole('link', { name: 'Open 1 experiment' }).waitFor();
    await page.getByRole('checkbox', { name: /guesses/ }).click();
    await page.getByRole('link', { name: 'Compare 2 experiments' }).waitFor();
    await check('dataset');
    await page.getByRole('link', { name: 'Compare 2 experiments' }).click();
    await page.getByText('correct 0 ▼ worse').waitFor();
  });

  test('URLs printed by SDKs work, shared ones without signing in', async () => {
    const { page, visit, open } = browsing;
    const [project] = await all(client.listProjects({ referenceDatasetId: dataset }));
    const [run] = await all(client.listRuns({ projectId: project!.id, isRoot: true }));
    const [example] = await all(client.listExamples({ datasetId: dataset }));
    const addresses: [address: string, title: string][] = [
      [await client.getRunUrl({ run: run! }), run!.name],
      // As the Python client prints them.
      [`/datasets/${dataset}/e/${example!.id}`, 'capitals'],
      [`/datasets/${dataset}`, 'capitals'],
    ];
    for (const [address, title] of addresses) {
      await visit(address);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      if (address.endsWith(example!.id)) await page.getByRole('dialog', { name: /Example/ }).waitFor();
    }
    // The URL is also that of an API record that the page has fetched; Back must show the page.
    await page.goto('/sign-in');
    await page.waitForURL('**/deployments');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'capitals' }).waitFor();

    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    expect(link).toBe((await client.readDatasetSharedSchema(dataset)).url);
    const stranger = await open();
    await stranger.goto(link);
    await stranger.getByRole('row', { name: /Peru Lima/ }).click();
    await stranger.getByRole('dialog').getByText('"Peru"').waitFor();
    await stranger.keyboard.press('Escape');
    await stranger.getByRole('row', { name: /knows/ }).waitFor();
    await browsing.check('dataset-shared', stranger);
    await stranger.goto(await client.shareRun(run!.id));
    await stranger.getByRole('tree', { name: 'Runs of the trace' }).waitFor();
    await stranger.context().close();
  });

  test('reviews queued runs with feedback and completes them', async () => {
    const { page, visit, check } = browsing;
    await visit('/review');
    await page.getByRole('heading', { name: 'No queues yet' }).waitFor();
    await page.getByRole('button', { name: 'New queue' }).click();
    await page.getByRole('button', { name: 'Create queue' }).click();
    await page.getByText('must not be empty').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('to look at');
    await page.getByLabel('Instructions').fill('Is it **right**?');
    await expectNothing(page);
    await page.getByRole('button', { name: 'Create queue' }).click();
    await page.getByRole('heading', { name: 'No runs to review' }).waitFor();
    const queue = page.url().split('/').at(-1)!;

    const [project] = await all(client.listProjects({ referenceDatasetId: dataset }));
    const [first, second] = await all(client.listRuns({ projectId: project!.id, isRoot: true }));
    await visit(`/traces/runs/${first!.id}`);
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Added to the queue').waitFor();
    await client.addRunsToAnnotationQueue(queue, [second!.id]);
    await page.getByRole('link', { name: 'Open queue' }).click();
    await page.getByText('1 of 2').waitFor();
    await page.getByText('right', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add feedback' }).click();
    await page.getByRole('rowheader', { name: 'user_score' }).waitFor();
    await check('review');
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await page.getByText('1 of 1').waitFor();
    await page.getByRole('button', { name: 'Remove from queue' }).click();
    await page.getByRole('heading', { name: 'No runs to review' }).waitFor();
    await page.getByText('Done 1').click();
    await page.getByText('1 of 1').waitFor();
    expect(
      await all(client.listFeedback({ runIds: [first!.id], feedbackKeys: ['user_score'] })),
    ).toHaveLength(1);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No queues yet' }).waitFor();
  });

  test('shows commits of a prompt with messages, tags and pull commands', async () => {
    const { page, visit, check } = browsing;
    await visit('/prompts');
    await page.getByRole('heading', { name: 'No prompts yet' }).waitFor();
    const push = (system: string) =>
      client.pushPrompt('greeter', {
        description: 'Says where things are',
        object: ChatPromptTemplate.fromMessages([
          ['system', system],
          ['user', 'The capital of {country}?'],
        ]),
      });
    const first = await push('You answer in {language}.');
    const second = await push('You answer in {language}, in a word.');
    await visit(second);
    await page.getByRole('article', { name: 'System' }).getByText('in a word').waitFor();
    await page.getByLabel('Tag name').fill('production');
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByRole('button', { name: 'Remove production' }).waitFor();
    await check('prompt');
    await page.getByRole('tab', { name: 'Usage' }).click();
    await page.getByText(/pull_prompt\("greeter:[\da-f]{8}"\)/).waitFor();
    expect((await client.pullPromptCommit('greeter:production', { skipCache: true })).commit_hash).toContain(
      hashIn(second),
    );

    await visit(`/hub/-/greeter:${hashIn(first)}`);
    const system = page.getByRole('article', { name: 'System' });
    await system.getByText('{language}', { exact: true }).waitFor();
    expect(await system.textContent()).not.toContain('in a word');
    await page.getByRole('link', { name: 'Prompts' }).last().click();
    await page.getByRole('row', { name: /greeter Says where things are/ }).waitFor();
  });

  const hashIn = (address: string): string => new URL(address).pathname.split('/').at(-1)!;
  /** Runs an experiment with the SDK. Returns its name and the URL it prints. */
  async function experiment(prefix: string, answer: (country: string) => string) {
    const log = jest.spyOn(console, 'log').mockImplementation(() => {});
    const { experimentName } = await evaluate(
      ({ country }: { country: string }) => ({ answer: answer(country) }),
      {
        client,
        data: 'capitals',
        experimentPrefix: prefix,
        evaluators: [
          ({ outputs, referenceOutputs }: Answered) => ({
            key: 'correct',
            score: Number(outputs?.['answer'] === referenceOutputs?.['capital']),
            comment: 'compared letter by letter',
          }),
        ],
      },
    );
    const output = log.mock.calls.map(([line]) => String(line)).join('\n');
    log.mockRestore();
    await client.awaitPendingTraceBatches();
    const wanted = Object.keys(CAPITALS).length;
    await until('its runs have ended, and are scored', async () => {
      const runs = await all(client.listRuns({ projectName: experimentName, isRoot: true }));
      return runs.filter((run) => run.end_time && run.feedback_stats?.['correct']).length === wanted;
    });
    return { name: experimentName, printed: /https?:\S+compare\S+/.exec(output)![0] };
  }
}

interface Answered {
  outputs?: Record<string, unknown>;
  referenceOutputs?: Record<string, unknown>;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
