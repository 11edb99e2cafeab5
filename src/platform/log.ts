import pino, { type Logger } from 'pino';

/** JSON lines on standard output; readable ones where a person reads them. */
export function createLog(level: string, pretty = process.stdout.isTTY): Logger {
  const options = { level, base: null, redact: ['*.password', '*.api_key', '*.authorization'] };
  if (!pretty) return pino(options);
  return pino({
    ...options,
    transport: {
      target: 'pino-pretty',
      options: { ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' },
    },
  });
}
