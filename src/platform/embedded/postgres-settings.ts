import { LOOPBACK } from './ports.ts';

/**
 * Command-line settings of the embedded Postgres. Durability is never reduced: committed data survives a power
 * failure.
 */
export function postgresSettings(port: number): string[] {
  const settings = {
    port,
    listen_addresses: LOOPBACK,
    unix_socket_directories: '',
    // Several processes each have a pool, and each deployment has a database.
    max_connections: 200,
    shared_buffers: '128MB',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    // Our statements are too short to benefit from JIT. Assumes solid-state disks.
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
