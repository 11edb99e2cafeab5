import { sdkClient, sdkSettings } from '../../parts/sdk-settings.ts';

/** Shell command that pushes a prompt. */
export const pushPrompt = (): string =>
  [
    ...sdkSettings(),
    `npm install langsmith @langchain/core && node --input-type=module -e '`,
    `  import { Client } from "langsmith";`,
    `  import { ChatPromptTemplate } from "@langchain/core/prompts";`,
    `  await ${sdkClient()}.pushPrompt("greeter", { object: ChatPromptTemplate.fromMessages([`,
    `    ["system", "You answer in {language}."], ["user", "{question}"]]) });'`,
  ].join('\n');

/** Code that pulls a prompt or a commit of it. */
export const pullInPython = (identifier: string): string =>
  [
    ...sdkSettings(),
    `pip install langsmith langchain-core && python3 -c '`,
    `from langsmith import Client`,
    `print(Client().pull_prompt(${JSON.stringify(identifier)}))'`,
  ].join('\n');

export const pullInJavaScript = (identifier: string): string =>
  [
    ...sdkSettings(),
    `npm install langsmith && node --input-type=module -e '`,
    `  import { Client } from "langsmith";`,
    `  const { manifest } = await ${sdkClient()}.pullPromptCommit(${JSON.stringify(identifier)});`,
    `  console.log(JSON.stringify(manifest, null, 2));'`,
  ].join('\n');
