import { Type } from 'typebox';
import { readSettings } from '../platform/settings.ts';
import { migrateAgentServer } from './agent-process.ts';

const Settings = Type.Object({
  DATABASE_URL: Type.String({
    pattern: '^postgres(ql)?://',
    description: 'address of the Postgres database to migrate',
  }),
});

export async function migrate({ json }: { json?: boolean }): Promise<void> {
  const applied = await migrateAgentServer(readSettings(Settings, process.env).DATABASE_URL);
  if (json) console.log(JSON.stringify({ applied }));
  else console.log(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'Nothing to apply');
}
