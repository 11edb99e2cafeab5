import type { Client } from '@temporalio/client';
import { identification } from '../control-plane/access/authenticate.ts';
import { hasRole } from '../control-plane/principal.ts';
import type { ControlPlaneDeps } from '../control-plane/control-plane-deps.ts';
import { type DatabaseOptions, openDatabase } from '../platform/db/database.ts';
import { allowToReceive, KNOWN_MS } from '../platform/http/receive-limit.ts';
import { readMasks } from '../tracing/masking/mask-rules.ts';
import { Masks } from '../tracing/masking/masks.ts';
import { type RateLimit, rateLimit } from '../tracing/rate-limits/rate-limit.ts';
import { ensureRowSecurity, openTenantDatabase } from '../tracing/security/tenant-database.ts';
import { type Service, tracingService } from '../tracing/tracing-server.ts';
import type { PlatformSettings } from './platform-settings.ts';

export interface OpenTracing {
  service: Service;
  /** Rate limits of the whole platform. */
  limits: RateLimit;
  close(): Promise<void>;
}

/** Opens tracing with its own connections, each limited to one tenant's rows at a time. */
export async function openTracing(
  deps: ControlPlaneDeps & { temporal: Client },
  config: PlatformSettings,
  database: DatabaseOptions,
): Promise<OpenTracing> {
  const { log, box } = deps;
  const isSecured = await ensureRowSecurity(deps.db);
  if (!isSecured)
    log.warn('the database user cannot create the role slipway_tracing; see docs/tracing-limits.md');
  const db = isSecured ? openTenantDatabase(database) : openDatabase(database);
  const identify = identification(deps);
  const limits = rateLimit({ config, db });
  const service = tracingService(
    {
      config,
      log,
      db,
      box,
      masks: new Masks(db, readMasks(config.SLIPWAY_TRACE_MASKS)),
      temporal: deps.temporal,
      taskQueue: `slipway-${config.SLIPWAY_PLATFORM}`,
      authenticate: async (ctx) => {
        const principal = await identify(ctx.req);
        allowToReceive(ctx.req, KNOWN_MS);
        return {
          tenant_id: principal.tenant_id,
          name: principal.name,
          writes: hasRole(principal, 'deployer'),
          reads: hasRole(principal, 'viewer'),
        };
      },
    },
    { bodyLimit: config.SLIPWAY_BODY_LIMIT_BYTES, limits },
  );
  return { service, limits, close: () => db.end() };
}
