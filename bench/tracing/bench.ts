import { openDatabase } from '../../src/platform/db/database.ts';
import { embeddedDatabaseUrl } from '../local-server.ts';
import { benchPlatform } from '../parts.ts';
import { ingest, otlp } from './ingest.ts';
import { Sender } from './load.ts';
import { query, stats, trace } from './reading.ts';
import { storage } from './storage.ts';
import type { Tracing } from './tracing-part.ts';

/** `npm run bench:tracing -- [part…]` */
await benchPlatform<Tracing>({
  parts: { storage, ingest, otlp, query, trace, stats },
  // Keeps statistics of earlier parts from being computed during later ones.
  settings: { SLIPWAY_TRACE_FOLD_SECONDS: '3600' },
  open: async ({ url, dataDir }, key) => ({
    sender: new Sender(url, key),
    db: openDatabase({ url: await embeddedDatabaseUrl(dataDir), poolSize: 2 }),
  }),
  close: ({ sender, db }) => Promise.all([sender.close(), db.end()]),
});
