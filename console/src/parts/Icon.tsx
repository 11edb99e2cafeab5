const PATHS = {
  deployments: 'M3 6.5 10 3l7 3.5-7 3.5zM3 10l7 3.5 7-3.5M3 13.5 10 17l7-3.5',
  playground: 'M4 4h12v9H9l-3.5 3v-3H4zM8 7.5l3 2-3 2z',
  threads: 'M4 5h12M4 10h12M4 15h7',
  crons: 'M10 5.5V10l3 2M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0z',
  store:
    'M4 5.5c0-1.4 2.7-2.5 6-2.5s6 1.1 6 2.5S13.3 8 10 8 4 6.9 4 5.5zM4 5.5v9C4 15.9 6.7 17 10 17s6-1.1 6-2.5v-9M4 10c0 1.4 2.7 2.5 6 2.5s6-1.1 6-2.5',
  traces: 'M3 5h8M6 10h8M9 15h8',
  dashboards: 'M4 16V9M8 16V4M12 16v-5M16 16V7',
  datasets: 'M3.5 4.5h13v11h-13zM3.5 8.5h13M8 8.5v7',
  review: 'M2.5 10S5.5 5 10 5s7.5 5 7.5 5-3 5-7.5 5-7.5-5-7.5-5zM10 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
  prompts: 'M4 4l4 4-4 4M10 15h6',
  workspace:
    'M3 6h8M15 6h2M3 14h2M9 14h8M13 4.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6zM7 12.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z',
  menu: 'M3 6h14M3 10h14M3 14h14',
  close: 'M5 5l10 10M15 5L5 15',
  sun: 'M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1',
  moon: 'M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z',
  system: 'M3 4.5h14v9H3zM7.5 17h5M10 13.5V17',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  check: 'M4 10.5l4 4 8-9',
  search: 'M9 4a5 5 0 1 1 0 10A5 5 0 0 1 9 4zM12.7 12.7L17 17',
  plus: 'M10 4v12M4 10h12',
  external: 'M8 5H4v11h11v-4M11 4h5v5M16 4l-7 7',
  chevron: 'M7 4.5l5.5 5.5L7 15.5',
  up: 'M5 12.5L10 7l5 5.5',
  down: 'M5 7.5L10 13l5-5.5',
  warning: 'M10 3.5L17.5 16.5H2.5zM10 8v4M10 14.2v.1',
  more: 'M5 10h.1M10 10h.1M15 10h.1',
  signOut: 'M12 4H4v12h8M9 10h8M14 7l3 3-3 3',
  pause: 'M7 5v10M13 5v10',
  play: 'M6 4.5l9 5.5-9 5.5z',
  trash: 'M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative line icon, hidden from screen readers. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.6}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    style={{ flex: 'none' }}
  >
    <path d={PATHS[name]} />
  </svg>
);
