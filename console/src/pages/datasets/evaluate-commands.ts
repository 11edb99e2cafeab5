import { sdkClient, sdkSettings } from '../../parts/sdk-settings.ts';

const quoted = (text: string): string => JSON.stringify(text).replaceAll("'", String.raw`'\''`);

/** Shell command that creates a dataset with two examples. */
export const makeDataset = (): string =>
  [
    ...sdkSettings(),
    `npm install langsmith && node --input-type=module -e '`,
    `  import { Client } from "langsmith";`,
    `  const client = ${sdkClient()};`,
    `  const { id } = await client.createDataset("capitals");`,
    `  await client.createExamples({ datasetId: id, inputs: [{ country: "Norway" }, { country: "Peru" }],`,
    `    outputs: [{ capital: "Oslo" }, { capital: "Lima" }] });'`,
  ].join('\n');

/** Shell command that adds examples to a dataset. */
export const addExamples = (dataset: string): string =>
  [
    ...sdkSettings(),
    `npm install langsmith && node --input-type=module -e '`,
    `  import { Client } from "langsmith";`,
    `  await ${sdkClient()}.createExamples({ datasetName: ${quoted(dataset)},`,
    `    inputs: [{ country: "Norway" }], outputs: [{ capital: "Oslo" }] });'`,
  ].join('\n');

/** Shell command that runs an experiment on a dataset. */
export const evaluateDataset = (dataset: string): string =>
  [
    ...sdkSettings(),
    `npm install langsmith && node --input-type=module -e '`,
    `  import { Client } from "langsmith";`,
    `  import { evaluate } from "langsmith/evaluation";`,
    `  await evaluate(async (inputs) => ({ answer: "Oslo" }), {`,
    `    client: ${sdkClient()},`,
    `    data: ${quoted(dataset)},`,
    `    evaluators: [({ outputs, referenceOutputs }) => ({`,
    `      key: "correct", score: Object.values(referenceOutputs ?? {}).includes(outputs.answer) })],`,
    `  });'`,
  ].join('\n');
