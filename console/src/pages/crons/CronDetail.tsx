import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { CronRecord } from '../../api/agent-crons.ts';
import { JsonView } from '../../parts/JsonView.tsx';
import { Section } from '../../parts/Section.tsx';
import NextTimes from './NextTimes.tsx';

/** When a cron comes next, and what its runs begin with. */
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
          Threads of its runs
        </Anchor>
      </Text>
      <Section title="Next times">
        {cron.enabled ? (
          <NextTimes schedule={cron.schedule} timezone={cron.timezone} />
        ) : (
          <p>It is paused: it starts no runs until it is resumed.</p>
        )}
      </Section>
      <Section title="What its runs begin with">
        <JsonView value={cron.payload} label="Payload" />
      </Section>
    </>
  );
}
