import { LOOPBACK } from './ports.ts';

/** Command-line settings of the embedded Postgres. Durability is never traded: a committed run survives a power cut. */
export function postgresSettings(port: number): string[] {
  const settings = {
    port,
    listen_addresses: LOOPBACK,
    unix_socket_directories: '',
    // One machine's processes, each with its pool, and a database per deployment.
    max_connections: 200,
    shared_buffers: '128MB',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    // Statements here are short: compiling them costs more than it saves. Disks are solid state.
    jit: 'off',
    random_page_cost: '1.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_checkpoints: 'off',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
