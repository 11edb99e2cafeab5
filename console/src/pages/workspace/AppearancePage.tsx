import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { PageHeader } from '../../parts/PageHeader.tsx';
import { Section } from '../../parts/Section.tsx';

type Scheme = 'light' | 'dark' | 'auto';

const SCHEMES: { value: Scheme; label: string }[] = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'As the system' },
];

export function Component() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <PageHeader title="Appearance">Of this browser alone.</PageHeader>
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
