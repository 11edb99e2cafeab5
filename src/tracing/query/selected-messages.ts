import { RawJson, type RunView } from './run-view.ts';
import { canonicalMessages } from '../messages/canonical-messages.ts';
import { withoutLargeMedia } from '../messages/media.ts';
import type { Message } from '../messages/message.ts';

/** The `messages` field of a run (contract §1.10) with large media hashed. Null for unknown formats. */
export function selectedMessages(view: RunView): Message[] | null {
  const { messages } = canonicalMessages({
    ...view,
    inputs: plain(view['inputs']),
    outputs: plain(view['outputs']),
  });
  return messages.length > 0 ? withoutLargeMedia(messages) : null;
}

const plain = (body: unknown): unknown =>
  body instanceof RawJson ? (JSON.parse(body.text) as unknown) : body;
