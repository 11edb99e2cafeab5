import {
  createTheme,
  type CSSVariablesResolver,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';

// prettier-ignore
const accent: MantineColorsTuple = [
  '#e8f5f6', '#cfe9eb', '#a2d6da', '#74c3ca', '#45a9b2', '#1f8c96', '#147a84', '#0f6770', '#0c555d', '#08424a',
];
// prettier-ignore
const red: MantineColorsTuple = [
  '#fdf0ef', '#fadcda', '#f4b6b2', '#f19d98', '#e9716a', '#d94b43', '#c4302b', '#ad2823', '#94211d', '#6f1714',
];
// prettier-ignore
const gray: MantineColorsTuple = [
  '#f7f8f9', '#eff1f3', '#e3e6ea', '#d2d7dd', '#b4bbc4', '#8a939e', '#5f6873', '#48505a', '#2f353d', '#1a1e23',
];
// prettier-ignore
const dark: MantineColorsTuple = [
  '#e3e7eb', '#c5cbd3', '#a4acb7', '#828b97', '#3b434d', '#2a3038', '#1b2026', '#12161a', '#0d1013', '#080a0c',
];

/** One accent colour, small type, subtle corners. */
export const theme = createTheme({
  colors: { accent, red, gray, dark },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  fontFamily: `'Geist Variable', ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif`,
  fontFamilyMonospace: `ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace`,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.5', xl: '1.5' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.35' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  radius: { xs: '3px', sm: '5px', md: '8px', lg: '12px', xl: '20px' },
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'sm' } },
    InputWrapper: { styles: { label: { marginBottom: 2 } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false } },
    Menu: { defaultProps: { transitionProps: { duration: 0 }, shadow: 'md' } },
  },
});

/** Fixes low-contrast colours of the design system (WCAG 2.2, 1.4.3) and defines status colours. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a636e',
    '--mantine-color-placeholder': '#6a737e',
    '--mantine-color-error': '#ad2823',
    '--mantine-color-accent-light-color': '#0c555d',
    '--mantine-color-red-light-color': '#94211d',
    '--mantine-color-default-border': '#d2d7dd',
    '--surface': '#ffffff',
    '--surface-side': '#f7f8f9',
    '--surface-sunk': '#f4f6f7',
    '--surface-hover': '#f1f4f5',
    '--surface-active': '#e4eff0',
    '--line': '#e3e6ea',
    '--ok': '#17693a',
    '--warn': '#8a5100',
    '--bad': '#ad2823',
    '--busy': '#0b5c9e',
    '--idle': '#5a636e',
  },
  dark: {
    '--mantine-color-dimmed': '#a4acb7',
    '--mantine-color-placeholder': '#8f98a4',
    '--mantine-color-error': '#f19d98',
    '--mantine-color-accent-light-color': '#74c3ca',
    '--mantine-color-anchor': '#74c3ca',
    '--mantine-color-red-light-color': '#f19d98',
    '--surface': '#12161a',
    '--surface-side': '#0d1013',
    '--surface-sunk': '#0d1013',
    '--surface-hover': '#1b2026',
    '--surface-active': '#16272b',
    '--line': '#262c33',
    '--ok': '#5fc88a',
    '--warn': '#e0a44a',
    '--bad': '#f19d98',
    '--busy': '#79b8ee',
    '--idle': '#a4acb7',
  },
});

export const colorSchemeStore = localStorageColorSchemeManager({ key: 'slipway.color-scheme' });
