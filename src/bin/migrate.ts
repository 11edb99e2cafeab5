import { Type } from 'typebox';
import { readSettings } from '../platform/settings.ts';
import { migrateAgentServer } from './agent-process.ts';
import { migratePlatform } from './platform-process.ts';

const Settings = Type.Object({
  DATABASE_URL: Type.String({
    pattern: '^postgres(ql)?://',
    description: 'URL of the Postgres database to migrate',
  }),
});

export async function migrate({ json }: { json?: boolean }): Promise<void> {
  const { DATABASE_URL: url } = readSettings(Settings, process.env);
  const applied = [...(await migratePlatform(url)), ...(await migrateAgentServer(url))];
  if (json) console.log(JSON.stringify({ applied }));
  else console.log(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'Nothing to apply');
}
