import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Drawn } from '../../api/tracing-charts.ts';
import { COLORS } from './chart-colors.ts';

const HEIGHT = 190;

/** Lines over time on a canvas; what they say in words stands beside them. */
export default function Plot({
  drawn: { times, lines },
  text,
  label,
}: {
  drawn: Drawn;
  text: (value: number) => string;
  label: string;
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
          { ...axis, space: 70 },
          { ...axis, size: 62, values: (_plot, values) => values.map((value) => text(value)) },
        ],
        series: [
          {},
          ...lines.map(({ name }, index) => ({
            label: name,
            stroke: COLORS[scheme][index % COLORS[scheme].length]!,
            width: 1.75,
            // A value between two that are none would not be seen as a line.
            points: { size: 4 },
            spanGaps: false,
          })),
        ],
      },
      [times, ...lines.map(({ values }) => values)],
      element,
    );
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [times, lines, scheme, text]);
  return <div ref={box} role="img" aria-label={label} style={{ height: HEIGHT, minWidth: 0 }} />;
}
