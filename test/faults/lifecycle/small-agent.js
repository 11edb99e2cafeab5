// A minimal agent for drivers: it responds, and ends when asked to. The files named by its
// environment hold up its start and its end for as long as they are there.
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { SLIPWAY_PROJECT_ENV = '{}', SLIPWAY_TASK_QUEUE } = process.env;
const { HOLD_START, HOLD_STOP } = JSON.parse(SLIPWAY_PROJECT_ENV);
const port = Number(process.argv.find((arg) => arg.startsWith('--port=')).slice('--port='.length));
const gone = async (file) => {
  if (!file || !existsSync(file)) return;
  await sleep(50);
  await gone(file);
};
process.once('SIGTERM', () => void gone(HOLD_STOP).then(() => process.exit()));
await gone(HOLD_START);
const server = createServer((_request, response) =>
  response.end(JSON.stringify({ revision: SLIPWAY_TASK_QUEUE })),
);
server.listen(port, '127.0.0.1');
