/** A readable prompt extracted from a manifest. */
export interface PromptRead {
  messages: PromptMessage[];
  /** Name of the model it was pushed with; undefined if none. */
  model: unknown;
}

export interface PromptMessage {
  role: 'System' | 'User' | 'Assistant' | 'Tool' | 'Messages' | 'Prompt';
  text: string;
}

interface Constructor {
  id: string[];
  kwargs: Record<string, unknown>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A serialised constructor call; undefined for anything else. */
function constructorOf(value: unknown): Constructor | undefined {
  if (!isObject(value) || !Array.isArray(value['id'])) return undefined;
  return { id: value['id'].map(String), kwargs: isObject(value['kwargs']) ? value['kwargs'] : {} };
}

const nameOf = (value: unknown): string => constructorOf(value)?.id.at(-1) ?? '';

const ROLES: [RegExp, PromptMessage['role']][] = [
  [/^System/, 'System'],
  [/^(Human|User)/, 'User'],
  [/^(AI|Assistant)/, 'Assistant'],
  [/^(Tool|Function)/, 'Tool'],
  [/^MessagesPlaceholder/, 'Messages'],
];

/** Undefined for unknown formats, which are shown as pushed. */
export function readManifest(manifest: unknown): PromptRead | undefined {
  const made = constructorOf(manifest);
  if (!made) return undefined;
  const { kwargs } = made;
  if (nameOf(manifest) === 'RunnableSequence') {
    const read = readManifest(kwargs['first']);
    return read && { ...read, model: kwargs['last'] };
  }
  const messages = kwargs['messages'] ?? kwargs['prompt_messages'];
  if (Array.isArray(messages)) return { messages: messages.map(messageOf), model: undefined };
  const text = textOf(manifest);
  return text === undefined ? undefined : { messages: [{ role: 'Prompt', text }], model: undefined };
}

function messageOf(value: unknown): PromptMessage {
  const name = nameOf(value);
  const { kwargs = {} } = constructorOf(value) ?? {};
  const role = ROLES.find(([is]) => is.test(name))?.[1] ?? roleNamed(kwargs['role']) ?? 'Prompt';
  if (role === 'Messages') return { role, text: `{${textOf(kwargs['variable_name']) ?? ''}}` };
  return { role, text: textOf(kwargs['prompt']) ?? textOf(kwargs['content']) ?? JSON.stringify(value) };
}

/** Maps to a chat role. */
const roleNamed = (role: unknown): PromptMessage['role'] | undefined =>
  typeof role === 'string' ? ROLES.find(([is]) => new RegExp(is.source, 'i').test(role))?.[1] : undefined;

/** Text of a template, a message, or a list of either. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const texts = value.map((part) => textOf(part) ?? JSON.stringify(part));
    return texts.join('\n');
  }
  if (!isObject(value)) return undefined;
  if (typeof value['text'] === 'string') return value['text'];
  const template = constructorOf(value)?.kwargs['template'];
  if (isObject(template) && typeof template['url'] === 'string') return `image: ${template['url']}`;
  return template === undefined ? undefined : textOf(template);
}

const VARIABLE = /(?<!\{)(\{\{?\s*[#^/]?[\w.[\]]+\s*\}?\})(?!\})/;

/** Splits a template: every second piece is a variable with its braces. */
export const splitVariables = (text: string): string[] => text.split(VARIABLE);
