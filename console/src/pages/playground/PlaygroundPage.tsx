import { EmptyState } from '../../parts/EmptyState.tsx';
import { PageHeader } from '../../parts/PageHeader.tsx';

export function Component() {
  return (
    <>
      <PageHeader title="Playground" />
      <EmptyState title="Choose a deployment" command={`npx slipway deploy --name my-agent`}>
        Talk to an assistant, answer its interrupts, and look at its state at every step.
      </EmptyState>
    </>
  );
}
