import { Button, Group, NativeSelect, Slider, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Deployment, Revision } from '../../api/control-plane-records.ts';
import { deploymentKey, putTraffic, steerCanary, trafficQuery } from '../../api/control-plane.ts';
import { ErrorNotice } from '../../parts/ErrorNotice.tsx';
import { Section } from '../../parts/Section.tsx';
import classes from './TrafficPanel.module.css';
import { FiguresTable } from './FiguresTable.tsx';

const STEP = 5;

/** Canary revisions and a slider for their traffic share; empty without any. */
export function TrafficPanel({
  deployment,
  revisions,
}: {
  deployment: Deployment;
  revisions: Revision[] | undefined;
}) {
  const { data: traffic } = useQuery(trafficQuery(deployment.id));
  const { active_revision_id: active } = deployment;
  if (!traffic || !active || !revisions) return null;
  const serving = revisions.find(({ id }) => id === active);
  const tried = new Set([...traffic.canaries.map(({ revision_id }) => revision_id), ...traffic.watched]);
  const others = revisions.filter(({ id }) => id !== active && tried.has(id));
  if (others.length === 0) return null;
  return (
    <Section title="Traffic">
      <ShareForm
        key={JSON.stringify([traffic.canaries, traffic.watched])}
        deployment={deployment}
        others={others}
        canaries={traffic.canaries}
        watched={traffic.watched}
      />
      {traffic.canaries.length > 0 && (
        <FiguresTable
          figures={traffic.figures}
          nameOf={(id) => {
            const found = revisions.find((revision) => revision.id === id);
            return `#${found?.number ?? '?'}${found === serving ? ', serves' : ''}`;
          }}
        />
      )}
    </Section>
  );
}

function ShareForm({
  deployment,
  others,
  canaries,
  watched,
}: {
  deployment: Deployment;
  others: Revision[];
  canaries: { revision_id: string; percent: number }[];
  watched: string[];
}) {
  const queries = useQueryClient();
  const tried = canaries[0];
  const [chosen, setChosen] = useState(tried?.revision_id ?? others[0]!.id);
  const [percent, setPercent] = useState(tried?.percent ?? 0);
  const rest = canaries.filter(({ revision_id }) => revision_id !== chosen);
  const refresh = () => queries.invalidateQueries({ queryKey: deploymentKey(deployment.id) });
  const splitting = useMutation({
    mutationFn: () =>
      putTraffic(deployment.id, percent > 0 ? [...rest, { revision_id: chosen, percent }] : rest),
    onSettled: refresh,
  });
  const steering = useMutation({
    mutationFn: (action: string) => steerCanary(deployment.id, chosen, action),
    onSettled: refresh,
  });
  const share = canaries.find(({ revision_id }) => revision_id === chosen)?.percent ?? 0;
  return (
    <div className={classes.form}>
      <NativeSelect
        size="xs"
        label="Revision"
        value={chosen}
        onChange={(event) => {
          setChosen(event.currentTarget.value);
          setPercent(
            canaries.find(({ revision_id }) => revision_id === event.currentTarget.value)?.percent ?? 0,
          );
        }}
        data={others.map(({ id, number }) => ({ value: id, label: `#${number}` }))}
      />
      <div className={classes.share}>
        <Text size="sm" fw={500} id="share">
          Share of threads: <span className="numeric">{percent} %</span>
        </Text>
        <Slider
          thumbLabel="Share of threads, in percent"
          value={percent}
          onChange={setPercent}
          step={STEP}
          label={null}
        />
      </div>
      <Group gap="xs">
        <Button loading={splitting.isPending} disabled={percent === share} onClick={() => splitting.mutate()}>
          Set share
        </Button>
        {watched.includes(chosen) && (
          <>
            <Button variant="default" loading={steering.isPending} onClick={() => steering.mutate('promote')}>
              Promote
            </Button>
            <Button variant="default" loading={steering.isPending} onClick={() => steering.mutate('abort')}>
              Abort
            </Button>
          </>
        )}
        <Button variant="subtle" component={Link} to={`/deployments/${deployment.id}/revisions/${chosen}`}>
          Open
        </Button>
      </Group>
      {(splitting.error ?? steering.error) && (
        <div className={classes.whole}>
          <ErrorNotice error={splitting.error ?? steering.error} title="Could not change the traffic" />
        </div>
      )}
      <Text size="xs" c="dimmed" className={classes.whole}>
        Threads stay on their revision while shares are unchanged. A canary loses its share automatically if
        it fails more often than the active revision.
      </Text>
    </div>
  );
}
