// What was, over the last seconds: the tracking error and the energies.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { colors, prefers, text } from './format.js';

const kSeconds = 12, kRate = 15; // of history; points a second

export class History {
  // `series`: [label, colour, dash] each; `unit` of all of them.
  constructor(box, unit, series) {
    this.box = box;
    this.data = [[], ...series.map(() => [])];
    this.last = -Infinity;
    const axis = { stroke: () => getComputedStyle(document.body).color, font: '11px system-ui',
      grid: { stroke: () => (prefers('dark').matches ? '#333b48' : '#e3e6ec'), width: 1 }, ticks: { show: false } };
    const show = (u, x) => `${text(x ?? this.data[1].at(-1))} ${unit}`;
    this.plot = new uPlot({
      width: 360, height: 118, cursor: { show: false }, padding: [8, 8, 0, 0],
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 22, values: (u, ticks) => ticks.map((t) => `${t} s`) },
        { ...axis, size: 58, values: (u, ticks) => ticks.map((x) => `${text(x)} ${unit}`) }],
      legend: { live: false },
      series: [{}, ...series.map(([label, stroke, dash]) => ({ label, stroke, dash, width: 1.6, spanGaps: false, value: show }))],
    }, this.data, box);
    new ResizeObserver(() => this.fit()).observe(box);
    prefers('dark').addEventListener('change', () => this.plot.redraw(false, true));
  }

  fit() {
    if (this.box.clientWidth) this.plot.setSize({ width: this.box.clientWidth, height: 118 });
  }

  label(names) {
    names.forEach((name, i) => {
      const cell = this.box.querySelectorAll('.u-legend .u-label')[i];
      if (cell) cell.textContent = name;
    });
  }

  take(time, values) {
    if (time < this.last) this.data.forEach((column) => (column.length = 0));
    if (time - this.last < 1 / kRate && time >= this.last) return;
    this.last = time;
    this.data[0].push(time);
    values.forEach((x, i) => this.data[i + 1].push(Number.isFinite(x) ? x : null));
    while (time - this.data[0][0] > kSeconds) this.data.forEach((column) => column.shift());
    if (!this.box.hidden) this.plot.setData(this.data);
  }
}

export const errorHistory = (box, unit) => new History(box, unit, [['as set', colors.with], ['', colors.without, [5, 4]]]);
export const energyHistory = (box) => new History(box, 'J', [['kinetic', colors.kinetic], ['potential', colors.potential, [5, 4]]]);
