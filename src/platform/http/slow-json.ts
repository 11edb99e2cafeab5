import type { Context } from 'koa';

/**
 * Answers JSON that may take long. Periodic newlines keep the connection alive; leading whitespace keeps the body
 * valid JSON (contract §5.3). Calls `onGone` if the caller disconnects first.
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
    // The status is already sent, so breaking off the body is the only way to signal failure.
    if (res.headersSent) res.destroy();
    else ctx.respond = true;
    throw error;
  } finally {
    clearInterval(beat);
  }
}
