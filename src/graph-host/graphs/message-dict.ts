export type Fields = Record<string, unknown>;

/** Detects a LangChain message by shape, because its class is the project's own copy. */
export function isMessage(value: Fields): boolean {
  return (
    'content' in value &&
    'additional_kwargs' in value &&
    typeof (value['getType'] ?? value['_getType']) === 'function'
  );
}

/** The flat form of a message (contract §1.6). Keys that clients read are always present, null if empty. */
export function messageDict(message: Fields, streamed: boolean): Fields {
  const type = ((message['getType'] ?? message['_getType']) as (this: Fields) => string).call(message);
  const dict: Fields = {
    type,
    content: message['content'] ?? '',
    id: message['id'] ?? null,
    name: message['name'] ?? null,
    additional_kwargs: message['additional_kwargs'] ?? {},
    response_metadata: message['response_metadata'] ?? {},
  };
  if (type === 'ai') {
    dict['tool_calls'] = message['tool_calls'] ?? [];
    dict['invalid_tool_calls'] = message['invalid_tool_calls'] ?? [];
    dict['usage_metadata'] = message['usage_metadata'] ?? null;
    const chunks = message['tool_call_chunks'];
    if (streamed && Array.isArray(chunks)) dict['type'] = 'AIMessageChunk';
    if (Array.isArray(chunks) && (streamed || chunks.length > 0)) dict['tool_call_chunks'] = chunks;
  } else if (type === 'tool') {
    dict['tool_call_id'] = message['tool_call_id'];
    dict['status'] = message['status'] ?? 'success';
    dict['artifact'] = message['artifact'] ?? null;
    if (message['metadata'] !== undefined) dict['metadata'] = message['metadata'];
  } else if (message['role'] !== undefined) {
    dict['role'] = message['role'];
  }
  return dict;
}
