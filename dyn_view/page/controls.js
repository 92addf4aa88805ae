// What the page does to a simulated arm. None of it exists on a page that only watches.
import { element, short, slides, text, unit } from './format.js';

const kMounts = { // gravity in the base link frame, of a robot that stands on …
  floor: [0, 0, -1], ceiling: [0, 0, 1], 'wall, +x up': [-1, 0, 0], 'wall, −x up': [1, 0, 0],
  'wall, +y up': [0, -1, 0], 'wall, −y up': [0, 1, 0],
};

export class Controls {
  constructor(box, hello, set) {
    this.box = box;
    this.hello = hello;
    this.set = set;
    this.byName = {};
    this.g = 9.81;
    box.replaceChildren(this.motion(), this.law(), this.load(), this.trouble());
  }

  // ---- the kinds of fields -----------------------------------------------------------------------
  select(name, label, options) {
    const node = element('select', { 'data-testid': name, 'aria-label': label,
      onchange: () => this.set(name, node.value) }, ...options.map((option) => element('option', { value: option }, option.replaceAll('_', ' '))));
    this.byName[name] = (value) => (node.value = value);
    return element('label', { class: 'row wide' }, element('span', {}, label), node);
  }

  check(name, label) {
    const node = element('input', { type: 'checkbox', 'data-testid': name, onchange: () => this.set(name, node.checked) });
    this.byName[name] = (value) => (node.checked = value);
    return element('label', { class: 'check' }, node, label);
  }

  // `show` and `scale`: what is read is the value times the scale.
  range(name, label, { least, most, step, show, scale = 1 }) {
    const out = element('output');
    const node = element('input', { type: 'range', min: least, max: most, step, 'data-testid': name, 'aria-label': label,
      oninput: () => { out.textContent = show(Number(node.value)); later(); } });
    const later = throttled(() => this.set(name, Number(node.value) / scale));
    this.byName[name] = (value) => {
      if (document.activeElement === node && node.matches(':active')) return;
      node.value = value * scale;
      out.textContent = show(value * scale);
    };
    return element('label', { class: 'row' }, element('span', {}, label), node, out);
  }

  // ---- the groups --------------------------------------------------------------------------------
  motion() {
    const { joints } = this.hello;
    this.sway = element('button', { 'data-testid': 'motion', 'aria-pressed': 'true',
      onclick: () => this.set('motion', this.sways ? 'hold' : 'sway') }, 'Sway');
    this.byName.motion = (value) => {
      this.sways = value === 'sway';
      this.sway.setAttribute('aria-pressed', this.sways);
    };
    this.asked = []; // by the hand, of some joints; the others stay where they are to be
    const send = throttled(() => this.set('joints', this.sliders.map(({ node }, i) => this.asked[i] ?? this.desired?.[i] ?? Number(node.value))));
    const ask = (node, i) => {
      this.asked[i] = Number(node.value);
      this.touched = performance.now();
      send();
    };
    this.sliders = joints.map((joint, i) => {
      const least = joint.lower ?? (slides(joint) ? -1 : -Math.PI), most = joint.upper ?? (slides(joint) ? 1 : Math.PI);
      const out = element('output');
      const node = element('input', { type: 'range', min: least, max: most, step: 'any', 'aria-label': joint.name, 'data-testid': `joint-${i}`,
        oninput: () => ask(node, i),
        onkeydown: (event) => {
          const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
          if (!by) return;
          event.preventDefault();
          node.value = Number(node.value) + (by * (most - least)) / 100;
          ask(node, i);
        } });
      return { node, out, row: element('label', { class: 'row', title: joint.name }, element('span', {}, joint.name), node, out) };
    });
    return element('fieldset', {}, element('legend', {}, 'Motion'),
      element('div', { class: 'buttons' }, this.sway,
        element('button', { onclick: () => this.set('motion', 'hold') }, 'Stop'),
        element('button', { 'data-testid': 'home', onclick: () => this.set('joints', this.home()) }, 'Zero')),
      ...this.sliders.map(({ row }) => row));
  }

  home() {
    return this.hello.joints.map(({ lower, upper }) => Math.min(Math.max(0, lower ?? -Infinity), upper ?? Infinity));
  }

  law() {
    const law = this.select('law', 'law', this.hello.laws.map(({ name }) => name));
    this.formula = element('p', { class: 'note', style: 'margin:0 0 4px' });
    const choose = this.byName.law;
    this.byName.law = (value) => {
      choose(value);
      this.formula.textContent = this.hello.laws.find(({ name }) => name === value)?.text ?? '';
    };
    return element('fieldset', {}, element('legend', {}, 'Control'), law, this.formula,
      this.range('frequency', 'stiffness', { least: 1, most: 60, step: 1, show: (x) => `${x} rad/s` }),
      this.range('delay', 'drives late', { least: 0, most: 20, step: 1, scale: 1000, show: (x) => `${text(x)} ms` }),
      element('div', { class: 'buttons' }, this.check('predict', 'predict over the delay')),
      this.select('observer', 'observer', ['off', 'estimate', 'cancel']));
  }

  load() {
    const mount = element('select', { 'data-testid': 'gravity', 'aria-label': 'mount', onchange: () => this.setGravity() },
      ...Object.keys(kMounts).map((name) => element('option', {}, name)), element('option', { value: 'other', hidden: true }, 'as described'));
    const out = element('output');
    const size = element('input', { type: 'range', min: 0, max: 25, step: 0.01, 'aria-label': 'gravity', 'data-testid': 'gravity-size',
      oninput: () => { out.textContent = `${text(Number(size.value))} m/s²`; later(); } });
    const later = throttled(() => this.setGravity());
    Object.assign(this, { mount, size });
    this.byName.gravity = (g) => {
      const norm = Math.hypot(...g);
      size.value = norm;
      out.textContent = `${text(norm)} m/s²`;
      if (norm > 0) {
        this.direction = g.map((x) => x / norm);
        mount.value = Object.keys(kMounts).find((name) => Math.hypot(...kMounts[name].map((x, i) => x - this.direction[i])) < 1e-6) ?? 'other';
      }
    };
    return element('fieldset', {}, element('legend', {}, 'Load and mount'),
      this.range('payload-mass', 'payload', { least: 0, most: Math.max(1, Math.round(this.hello.mass / 2)), step: 0.1, show: (x) => `${text(x)} kg` }),
      element('div', { class: 'buttons' }, this.check('payload-known', 'the law knows it')),
      element('label', { class: 'row' }, element('span', {}, 'gravity'), size, out),
      element('label', { class: 'row wide' }, element('span', {}, 'mount'), mount));
  }

  setGravity() {
    const direction = kMounts[this.mount.value] ?? this.direction;
    return this.set('gravity', direction.map((x) => x * Number(this.size.value)));
  }

  trouble() {
    return element('fieldset', {}, element('legend', {}, 'Faults'), this.select('fault', 'inject', this.hello.faults));
  }

  // What the server says is set.
  take(values) {
    for (const [name, value] of Object.entries(values)) this.byName[name]?.(value);
  }

  // The sliders go with the arm, but not under a hand.
  takeFrame(frame) {
    const mine = performance.now() - (this.touched ?? -1e9) < 800;
    if (!mine) {
      this.asked = [];
      this.desired = [...frame.desired];
    }
    this.sliders.forEach(({ node, out }, i) => {
      const where = this.sways ? frame.q[i] : frame.desired[i];
      if (!mine && Number.isFinite(where)) node.value = where;
      out.textContent = `${short(frame.q[i])} ${unit(this.hello.joints[i])}`;
    });
  }
}

// At most every 60 ms, the last call always.
function throttled(action) {
  let timer = null, again = false;
  const run = () => {
    action();
    timer = setTimeout(() => {
      timer = null;
      if (again) { again = false; run(); }
    }, 60);
  };
  return () => (timer === null ? run() : (again = true));
}

// Recording: for every robot, also one that is only watched.
export function recorder(hello, set, save) {
  const record = element('button', { 'data-testid': 'record', 'aria-pressed': 'false', onclick: () => set('record', record.getAttribute('aria-pressed') !== 'true') }, 'Record');
  const seconds = element('span', { class: 'note', 'data-testid': 'recorded' });
  const csv = element('button', { 'data-testid': 'csv', title: 'Download the recording', disabled: true, onclick: () => set('csv', true) }, 'CSV');
  const identify = element('button', { 'data-testid': 'identify', disabled: true, onclick: () => set('identify', true).then(() => (identify.textContent = 'Identifying…'), () => {}) }, 'Identify');
  const file = element('input', { type: 'file', accept: '.urdf,.xml', hidden: true, 'data-testid': 'robot-file', onchange: () => file.files[0] && save(file.files[0]) });
  const group = element('fieldset', {}, element('legend', {}, 'Record'), element('div', { class: 'buttons' }, record, csv, identify), seconds);
  if (hello.load) {
    group.append(element('legend', { style: 'margin-top:10px' }, 'Robot'),
      element('div', { class: 'buttons' }, element('button', { onclick: () => file.click() }, 'Open a URDF…'), file),
      element('span', { class: 'note' }, 'or drop one on the page'));
  }
  return {
    group,
    done: () => (identify.textContent = 'Identify'),
    take(running) {
      record.setAttribute('aria-pressed', running);
      record.classList.toggle('on', running);
      record.textContent = running ? 'Stop' : 'Record';
      csv.disabled = identify.disabled = running || !seconds.textContent;
    },
    length(s) {
      seconds.textContent = s > 0 ? `${text(s)} s recorded` : '';
      csv.disabled = identify.disabled = s <= 0 || record.getAttribute('aria-pressed') === 'true';
    },
  };
}
