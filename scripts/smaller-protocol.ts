interface Namespace {
  nested: Record<string, Namespace>;
}

// In Temporal's protocol, the call that declares all messages, as the last statement but the export.
const DECLARATION = /(?<=\.addJSON\()\{.*\}(?=\);)/s;

/**
 * Leaves out the messages of Temporal Cloud's own API, a quarter of all, and declares the others as JSON text, which V8
 * reads faster than an object literal: together a third of the time a process needs for them. Throws when Temporal's
 * code has changed.
 */
export function smallerProtocol(code: string): string {
  const [text] = DECLARATION.exec(code) ?? [];
  const root = JSON.parse(text ?? '{}') as Namespace['nested'];
  const api = root['temporal']?.nested['api']?.nested;
  if (!api?.['cloud'])
    throw new Error("Expected Temporal's protocol to declare its cloud: adapt scripts/smaller-protocol.ts");
  delete api['cloud'];
  const others = JSON.stringify(root);
  if (others.includes('temporal.api.cloud')) throw new Error("Temporal's protocol refers to its cloud");
  return code.replace(DECLARATION, () => `JSON.parse(${JSON.stringify(others)})`);
}
