export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
/** Receives log lines; stored, and shown live. */
export type LogSink = (message: string, level?: LogLevel) => void;
