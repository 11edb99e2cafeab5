const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];
const STEP = 1024;

/** `12 KB`, `1.5 GB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit++;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : Number(value.toFixed(1))} ${UNITS[unit]}`;
}
