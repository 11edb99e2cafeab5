import { type Static, Type } from 'typebox';
import { StringEnum } from '../../platform/schema.ts';
import type { ContentItem, Message } from './message.ts';
import { roleOf } from './roles.ts';

/** A problem found in a message, which is shown regardless (contract §2.2). */
export const MessageWarning = Type.Object({
  /** Index in `messages`. */
  index: Type.Integer(),
  code: StringEnum([
    'unmatched_tool_call_id',
    'misplaced_tool_call_id',
    'unknown_role',
    'unknown_block',
    'unparsable_arguments',
    'media_without_content',
  ]),
  detail: Type.String(),
});
export type MessageWarning = Static<typeof MessageWarning>;
type Finding = Omit<MessageWarning, 'index'>;

/** Checks each message and references between messages. */
export function checkMessages(messages: Message[]): MessageWarning[] {
  const calls = new Set<string>();
  return messages.flatMap((message, index) => {
    const findings = [...checkCallId(message, calls), ...message.content.flatMap(checkItem)];
    if (message.role === 'assistant')
      for (const item of message.content) if (item.type === 'tool_call' && item.id) calls.add(item.id);
    return findings.map((finding) => ({ index, ...finding }));
  });
}

function checkCallId({ role, content, tool_call_id }: Message, calls: Set<string>): Finding[] {
  const findings: Finding[] = [];
  const extras = content[0]?.extras;
  if (tool_call_id !== undefined && !calls.has(tool_call_id))
    findings.push({
      code: 'unmatched_tool_call_id',
      detail: `No earlier assistant message has a call ${tool_call_id}`,
    });
  if (role !== 'tool' && extras?.['tool_call_id'] !== undefined)
    findings.push({
      code: 'misplaced_tool_call_id',
      detail: `tool_call_id belongs to role tool, not ${role}`,
    });
  const named = extras?.['role'];
  if (named !== undefined && !roleOf(named))
    findings.push({ code: 'unknown_role', detail: `Role ${JSON.stringify(named)} is read as ${role}` });
  return findings;
}

function checkItem(item: ContentItem): Finding[] {
  if (item.type === 'text' && item.extras?.['unknown'] === true)
    return [{ code: 'unknown_block', detail: `Shown unchanged: ${item.text.slice(0, 80)}` }];
  if ('args' in item && '__raw' in item.args)
    return [
      { code: 'unparsable_arguments', detail: `Arguments of ${item.name ?? 'a call'} are not a JSON object` },
    ];
  if (isMedia(item) && !item.url && !item.base64 && !item.id)
    return [{ code: 'media_without_content', detail: `${item.type} has neither url, base64 nor id` }];
  return [];
}

const isMedia = (item: ContentItem): item is Extract<ContentItem, { mime_type?: string }> =>
  ['image', 'file', 'audio', 'video'].includes(item.type);
