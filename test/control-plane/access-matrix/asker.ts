/** The parts of a response that the matrix checks. */
export interface Answer {
  status: number;
  text: string;
  // The test checks the shape.
  json: any;
}

/** Sends a request with one caller's headers; reads only the head of a stream. */
export type Asker = (method: string, path: string, body?: unknown) => Promise<Answer>;

export const askerOf =
  (url: string, headers: Record<string, string>): Asker =>
  async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) {
      await response.body?.cancel();
      return { status: response.status, text: '', json: undefined };
    }
    const text = await response.text();
    const json: unknown = type.startsWith('application/json') && text ? JSON.parse(text) : undefined;
    return { status: response.status, text, json };
  };
