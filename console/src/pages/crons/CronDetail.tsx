import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { CronRecord } from '../../api/agent-crons.ts';
import { JsonView } from '../../parts/JsonView.tsx';
import { Section } from '../../parts/Section.tsx';
import NextTimes from './NextTimes.tsx';

/** Next run times and input of a cron. */
export default function CronDetail({ deploymentId, cron }: { deploymentId: string; cron: CronRecord }) {
  const runs = new URLSearchParams({
    deployment: deploymentId,
    metadata: JSON.stringify({ cron_id: cron.cron_id }),
  });
  return (
    <>
      <Text size="sm" mb="md">
        <span className="mono">{cron.cron_id}</span>{' '}
        <Anchor component={Link} size="sm" underline="always" to={`/threads?${runs}`}>
          Show its threads
        </Anchor>
      </Text>
      <Section title="Next runs">
        {cron.enabled ? (
          <NextTimes schedule={cron.schedule} timezone={cron.timezone} />
        ) : (
          <p>Paused. It starts no runs until you resume it.</p>
        )}
      </Section>
      <Section title="Run input">
        <JsonView value={cron.payload} label="Payload" />
      </Section>
    </>
  );
}
