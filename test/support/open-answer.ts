import { until } from './until.ts';

/** A response in progress. */
export interface OpenAnswer {
  status: number;
  headers: Headers;
  /** The text so far, once it is enough; throws if the response ends first. */
  until(what: string, isEnough: (text: string) => boolean): Promise<string>;
  /** The whole text, once the response has ended. */
  whole(): Promise<string>;
  leave(): void;
}

export async function openAnswer(url: string, init: RequestInit = {}): Promise<OpenAnswer> {
  const leaving = new AbortController();
  const { status, headers, body } = await fetch(url, { ...init, signal: leaving.signal });
  let text = '';
  let isOver = false;
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of body as AsyncIterable<Uint8Array>)
      text += decoder.decode(chunk, { stream: true });
  };
  const reading = read().finally(() => (isOver = true));
  // Callers that await the whole body get the error.
  reading.catch(() => {});
  return {
    status,
    headers,
    async until(what, isEnough) {
      await until(what, () => {
        if (isEnough(text)) return true;
        if (isOver) throw new Error(`The answer ended before ${what}: ${text}`);
        return false;
      });
      return text;
    },
    async whole() {
      await reading;
      return text;
    },
    leave: () => leaving.abort(),
  };
}

/** The same for a request with a body. */
export const openPost = (
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<OpenAnswer> => openAnswer(url, { method: 'POST', body: JSON.stringify(body), headers });
