import type { Context } from 'koa';

/**
 * A JSON response that takes its time: a newline now and then keeps the connection alive, and leading white space
 * keeps the body valid JSON (contract §5.3). `onGone` is called when the caller leaves before the answer.
 */
export async function answerSlowly(
  ctx: Context,
  everyMs: number,
  answer: Promise<string>,
  onGone: () => void,
): Promise<void> {
  const { res } = ctx;
  ctx.respond = false;
  ctx.set('content-type', 'application/json');
  let over = false;
  const beat = setInterval(() => {
    if (!res.headersSent) res.writeHead(200);
    res.write('\n');
  }, everyMs);
  const gone = () => {
    clearInterval(beat);
    if (!over) onGone();
  };
  res.on('close', gone);
  res.on('error', gone);
  try {
    const body = await answer;
    over = true;
    if (!res.headersSent) res.writeHead(200, { 'content-length': Buffer.byteLength(body) });
    res.end(body);
  } catch (error) {
    over = true;
    // Once bytes are out the status cannot be changed: a broken body tells the caller to ask again.
    if (res.headersSent) res.destroy();
    else ctx.respond = true;
    throw error;
  } finally {
    clearInterval(beat);
  }
}
