/** Line colours in order, each with a contrast of at least 3 to 1 (WCAG 2.2, 1.4.11). */
export const COLORS = {
  light: ['#0f6770', '#ad2823', '#0b5c9e', '#8a5100', '#6a3fa0', '#17693a'],
  dark: ['#74c3ca', '#f19d98', '#79b8ee', '#e0a44a', '#c3a5f0', '#5fc88a'],
};
