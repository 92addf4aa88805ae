// Beside the arm: torques by term, the mass matrix, its factors, quasi-velocities, what was identified.
import { colors, effortUnit, element, inertiaUnit, prefers, short, slides, text, unit } from './format.js';

export class Torques {
  constructor(box, legend, hello) {
    this.hello = hello;
    this.n = hello.joints.length;
    legend.replaceChildren(element('span', { class: 'legend' }, ...hello.terms.map((term) => {
      const swatch = element('i');
      swatch.style.background = colors[term];
      return element('span', {}, swatch, term);
    })));
    this.rows = hello.joints.map((joint, i) => {
      const canvas = element('canvas', { height: 28, width: 420, 'aria-hidden': true });
      const value = element('span', { 'data-testid': `torque-${i}` });
      box.append(element('div', { class: 'joint', title: joint.name }, element('span', {}, joint.name), canvas, value));
      return { canvas, value, most: 0 };
    });
  }

  take(frame, words) {
    const dark = prefers('dark').matches;
    this.rows.forEach((row, i) => {
      const joint = this.hello.joints[i], effort = frame.effort[i];
      const terms = this.hello.terms.map((_, k) => frame.terms[k * this.n + i]);
      row.most = Math.max(row.most, Math.abs(effort) || 0, 1e-9);
      this.draw(row.canvas, terms, effort, joint.effort ?? 1.1 * row.most, dark);
      if (words) row.value.textContent = `${text(effort)} / ${joint.effort ? text(joint.effort) : '∞'} ${effortUnit(joint)}`;
    });
  }

  draw(canvas, terms, effort, limit, dark) {
    const { width: w, height: h } = canvas, g = canvas.getContext('2d');
    const x = (value) => w / 2 + (Math.max(-1, Math.min(1, value / limit)) * w) / 2;
    g.fillStyle = dark ? '#272e39' : '#eef0f4';
    g.fillRect(0, 0, w, h);
    const reached = [0, 0]; // by the terms below zero and above
    terms.forEach((term, k) => {
      if (!Number.isFinite(term) || this.hello.terms[k] === 'limited') return;
      const side = Number(term > 0), from = x(reached[side]), to = x((reached[side] += term));
      g.fillStyle = colors[this.hello.terms[k]];
      g.fillRect(Math.min(from, to), 4, Math.abs(to - from), h - 8);
    });
    g.fillStyle = dark ? '#ffffff' : '#1d2330';
    g.fillRect(w / 2 - 1, 0, 1, h);
    if (Number.isFinite(effort)) g.fillRect(x(effort) - 2, 0, 4, h);
  }
}

function grid(box, title, names, units) {
  const cells = [];
  const head = element('tr', {}, element('th'), ...names.map((name) => element('th', { title: name }, name)));
  const table = element('table', { 'aria-label': title, style: `min-width: ${36 * (names.length + 1)}px` }, head);
  names.forEach((name, i) => {
    const row = element('tr', {}, element('th', { title: name }, name));
    names.forEach((_, j) => {
      const cell = element('td', { title: units(i, j) });
      cells.push(cell);
      row.append(cell);
    });
    table.append(row);
  });
  box.append(element('div', { class: 'scroll' }, table));
  return cells;
}

export class Matrices {
  constructor(matrix, factors, quasi, hello) {
    this.joints = hello.joints;
    this.matrix = matrix;
    if (hello.objection) {
      for (const box of [matrix, factors, quasi]) box.append(element('p', {}, `There are no dynamics: ${hello.objection}`));
      return;
    }
    const names = hello.joints.map((_, i) => String(i + 1));
    const mixed = hello.joints.some(slides);
    const entry = (i, j) => `${hello.joints[i].name}, ${hello.joints[j].name}: ${inertiaUnit(hello.joints[i], hello.joints[j])}`;
    const units = mixed ? 'kg m², kg m where one of two joints slides, kg where both do' : 'kg m²';
    matrix.append(element('p', { class: 'note', style: 'margin:0 0 4px' }, `M(q) in ${units}; blue above zero, orange below`));
    this.cells = grid(matrix, 'Mass matrix', names, entry);
    factors.append(element('p', { class: 'note', style: 'margin:0 0 4px' }, `M = U D Uᵀ: U above, D on the last row in ${units}`));
    this.upper = grid(factors, 'U', names, entry);
    this.pivots = names.map(() => element('td'));
    factors.querySelector('table').append(element('tr', {}, element('th', {}, 'D'), ...this.pivots));
    const table = element('table', { class: 'plain', 'aria-label': 'Quasi-velocities' },
      element('tr', {}, ...['joint', 'q', 'q̇', 'ν = √D Uᵀq̇', 'ξ = Uᵀq̇'].map((head) => element('th', {}, head))));
    this.quasi = hello.joints.map((joint) => {
      const row = [joint.name, '', '', '', ''].map((word) => element('td', {}, word));
      table.append(element('tr', {}, ...row));
      return row;
    });
    quasi.append(element('div', { class: 'scroll' }, table));
  }

  heat(cells, values, scale, dark) {
    cells.forEach((cell, k) => {
      const share = Math.min(1, Math.abs(values[k]) / (scale || 1));
      cell.textContent = short(values[k]);
      cell.dataset.value = values[k];
      const tint = values[k] >= 0 ? '86, 180, 233' : '230, 159, 0';
      cell.style.background = `rgba(${tint}, ${(dark ? 0.55 : 0.75) * Math.sqrt(share)})`;
    });
  }

  take(frame) {
    if (!this.cells) return;
    const dark = prefers('dark').matches;
    if (!this.cells[0].closest('[hidden]')) {
      this.matrix.dataset.q = JSON.stringify([...frame.q]);
      this.matrix.dataset.time = frame.time[0];
      this.heat(this.cells, frame.M, Math.max(...frame.M.map(Math.abs)), dark);
    }
    if (!this.pivots[0].closest('[hidden]')) {
      this.heat(this.upper, frame.U, Math.max(...frame.U.map(Math.abs)), dark);
      this.heat(this.pivots, frame.D, Math.max(...frame.D), dark);
    }
    if (!this.quasi[0][0].closest('[hidden]')) {
      this.quasi.forEach((row, i) => {
        const u = unit(this.joints[i]), root = '√kg m/s';
        const values = [[frame.q[i], u], [frame.qd[i], `${u}/s`], [frame.nu[i], root], [frame.xi[i], `${u}/s`]];
        values.forEach(([x, of], k) => (row[k + 1].textContent = `${short(x)} ${of}`));
      });
    }
  }
}

export function report(box, hello, found) {
  if (found.error) return box.replaceChildren(element('p', {}, found.error));
  const table = (heads, rows) => element('table', { class: 'plain' },
    element('tr', {}, ...heads.map((head) => element('th', {}, head))),
    ...rows.map((row) => element('tr', {}, ...row.map((word) => element('td', {}, word)))));
  const { joints } = hello;
  box.replaceChildren(element('div', { class: 'scroll' },
    table(['torque', 'rms measured', 'error before', 'error after'], found.joints.map((joint, i) => [
      joint.name, ...[joint.rms_measured, joint.rms_before, joint.rms_after].map((x) => `${text(x)} ${effortUnit(joints[i])}`)])),
    table(['link', 'described', 'identified', '± sd'], found.links.map((link) => [
      link.name, ...[link.before, link.mass, link.sd_mass].map((x) => `${text(x)} kg`)])),
    element('p', { class: 'note' }, `The motion tells ${found.rank} combinations of the parameters apart (condition ${text(found.condition)}); the rest stays as described.`)));
}
