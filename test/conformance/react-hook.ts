import { createElement } from 'react';
import { act, create, type ReactTestRenderer } from 'react-test-renderer';
import { PATIENCE_MS } from '../support/until.ts';

export interface Rendered<Shown> {
  /** The component's last output. */
  readonly current: Shown;
  /** All its outputs, in order. */
  readonly history: readonly Shown[];
  /** Settles when the rendered state satisfies the condition; throws after 20 s. */
  until(holds: (shown: Shown) => boolean): Promise<Shown>;
  unmount(): Promise<void>;
}

// Only the test's own actions use `act`; the hook's updates arrive as in an application.
async function acting(work: () => void): Promise<void> {
  const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
  environment.IS_REACT_ACT_ENVIRONMENT = true;
  await act(async () => work());
  environment.IS_REACT_ACT_ENVIRONMENT = false;
}

/** Renders a component that shows what it reads from a hook. */
export async function renderHook<Shown>(read: () => Shown): Promise<Rendered<Shown>> {
  const history: Shown[] = [];
  const Component = () => {
    history.push(read());
    return null;
  };
  let renderer!: ReactTestRenderer;
  await acting(() => (renderer = create(createElement(Component))));
  const current = () => history.at(-1)!;
  return {
    get current() {
      return current();
    },
    history,
    async until(holds) {
      for (const deadline = Date.now() + PATIENCE_MS; !holds(current());) {
        if (Date.now() > deadline)
          throw new Error(`Never ${holds.toString()}: ${JSON.stringify(current()).slice(0, 500)}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return current();
    },
    unmount: () => acting(() => renderer.unmount()),
  };
}
