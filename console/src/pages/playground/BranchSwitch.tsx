import { ActionIcon } from '@mantine/core';
import { Icon } from '../../parts/Icon.tsx';

/** Switches between versions of a message. */
export function BranchSwitch({
  about,
  onChoose,
}: {
  about: { branch: string | undefined; branchOptions: string[] | undefined } | undefined;
  onChoose: (branch: string) => void;
}) {
  const options = about?.branchOptions;
  if (!options || options.length < 2) return null;
  const place = Math.max(0, options.indexOf(about.branch ?? ''));
  const step = (by: number) => ({
    disabled: options[place + by] === undefined,
    onClick: () => onChoose(options[place + by]!),
  });
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 2 }}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Previous version" {...step(-1)}>
        <span style={{ display: 'flex', transform: 'scaleX(-1)' }}>
          <Icon name="chevron" size={12} />
        </span>
      </ActionIcon>
      <span className="numeric">
        {place + 1} of {options.length}
      </span>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label="Next version" {...step(1)}>
        <Icon name="chevron" size={12} />
      </ActionIcon>
    </span>
  );
}
