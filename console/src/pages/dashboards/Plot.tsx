import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Drawn } from '../../api/tracing-charts.ts';
import { COLORS } from './chart-colors.ts';

const HEIGHT = 190;

/** Line chart on a canvas. The card also shows its values as text. */
export default function Plot({
  drawn: { times, lines },
  text,
  steps,
  label,
  isSum,
  onPoint,
}: {
  drawn: Drawn;
  text: (value: number) => string;
  /** Allowed axis increments. */
  steps: number[] | undefined;
  label: string;
  isSum: boolean;
  /** Called with the bucket under the pointer, or null. */
  onPoint: (index: number | null) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const element = box.current!;
    const style = getComputedStyle(element);
    const [ink, line] = [style.getPropertyValue('--mantine-color-dimmed'), style.getPropertyValue('--line')];
    const axis = {
      stroke: ink,
      font: '11px "Geist Variable", sans-serif',
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
    };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, points: { size: 6 } },
        scales: { y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.08 : 1] } },
        axes: [
          {
            ...axis,
            space: 70,
            size: 26,
            values: (_plot, moments, _axis, _space, step) => moments.map((at) => timeText(at, step)),
          },
          {
            ...axis,
            ...(steps && { incrs: steps }),
            // Wide enough for the labels.
            size: (_plot, shown) =>
              Math.max(62, 16 + 6 * Math.max(0, ...(shown ?? []).map(({ length }) => length))),
            values: (_plot, values) => values.map((value) => text(value)),
          },
        ],
        series: [
          {},
          ...lines.map(({ name, values }, index) => ({
            label: name,
            stroke: COLORS[scheme][index % COLORS[scheme].length]!,
            width: 1.75,
            // A single value forms no line, so draw a point.
            points: { size: 5, show: values.filter((value) => value !== null).length === 1 },
            // Bridges gaps in measurements; sums are zero instead.
            spanGaps: !isSum,
          })),
        ],
        hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
      },
      [times, ...lines.map(({ values }) => (isSum ? values.map((value) => value ?? 0) : values))],
      element,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [times, lines, scheme, text, steps, isSum]);
  return <div ref={box} role="img" aria-label={label} style={{ height: HEIGHT, minWidth: 0 }} />;
}

const DAY = 86_400;
const DATE = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const CLOCK = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** Shows days for daily steps and at midnight. */
function timeText(at: number, step: number): string {
  const date = new Date(at * 1_000);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return (step >= DAY || isMidnight ? DATE : CLOCK).format(date);
}
