import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { Section } from '../../parts/Section.tsx';

type Scheme = 'light' | 'dark' | 'auto';

const SCHEMES: { value: Scheme; label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
];

export function Component() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <PageHeader title="Appearance">Applies to this browser only.</PageHeader>
      <Section title="Colours">
        <SegmentedControl
          aria-label="Colours"
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
          data={SCHEMES}
        />
      </Section>
    </>
  );
}
