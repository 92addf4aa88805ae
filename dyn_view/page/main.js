// The page: what the server says goes to the parts, what the hand does to the server.
import './style.css';
import { Arm } from './arm.js';
import { Controls, recorder } from './controls.js';
import { Matrices, report, Torques } from './dynamics.js';
import { colors, element, slides, text } from './format.js';
import { Link, reader } from './link.js';
import { energyHistory, errorHistory } from './plots.js';

const $ = (id) => document.getElementById(id);
const kMostBytes = 8e6; // of a dropped robot description
const kShown = { center_of_mass: true, gravity_torque: true, tip_trace: true };
const kNames = {
  center_of_mass: 'centres of mass', link_inertia: 'inertias', manipulability: 'manipulability',
  dynamic_manipulability: 'acceleration', dh_frames: 'frames', gravity_torque: 'gravity', predicted_motion: 'prediction', tip_trace: 'trace',
};

let hello, arm, parts, controls = {}, server = {}, surfaces = 0, worded = 0, frames = 0;

// ---- what is said ----------------------------------------------------------------------------------
function say(sentence, good = false) {
  const box = element('div', { class: good ? 'message good' : 'message', 'data-testid': 'message' }, element('span', {}, sentence),
    element('button', { 'aria-label': 'Close', onclick: () => box.remove() }, '✕'));
  $('messages').append(box);
  while ($('messages').children.length > 3) $('messages').firstChild.remove();
  setTimeout(() => box.remove(), good ? 6000 : 20000);
}

function state(name, words, overlay) {
  $('connection').dataset.state = name;
  $('connection').textContent = words;
  $('overlay').hidden = !overlay;
  if (overlay) $('overlay-text').textContent = overlay;
}

const set = (name, value) => link.set(name, value).catch((error) => {
  if (name !== 'drag') say(error.message);
  parts?.controls?.take(controls); // back to what is in force
  throw error;
});
const quietly = (name, value) => set(name, value).catch(() => {});

// ---- a robot ---------------------------------------------------------------------------------------
function greet(message) {
  hello = message;
  surfaces = 0;
  document.title = `${hello.name} – dyn`;
  $('name').textContent = hello.name;
  $('about').textContent = `${hello.joints.length} joints, ${text(hello.mass)} kg, ${hello.base} → ${hello.tip}${hello.touch ? '' : ' · watched'}`;
  for (const id of ['controls', 'torques', 'tracking', 'energy', 'matrix', 'factors', 'quasi', 'report']) $(id).replaceChildren();
  $('hint').textContent = hello.touch ? 'Drag a link to pull it · drag beside it to turn the view' : 'Drag to turn the view';
  try {
    arm ??= new Arm($('arm'), (value) => quietly('drag', value));
    arm.load(hello);
  } catch (error) {
    arm = null;
    $('arm').replaceChildren(element('p', { class: 'note', style: 'padding:60px 20px' }, `This browser draws no 3D (${error.message}); the numbers are beside it.`));
  }
  const sliding = hello.joints.some(slides);
  parts = {
    read: reader(hello.layout),
    torques: new Torques($('torques'), $('torque-legend'), hello),
    error: errorHistory($('tracking'), sliding ? 'mrad, mm' : 'mrad'),
    energy: energyHistory($('energy')),
    matrices: new Matrices($('matrix'), $('factors'), $('quasi'), hello),
    recorder: recorder(hello, (name, value) => set(name, value), load),
  };
  $('tracking').append(parts.errorWords = element('div', { class: 'values' }));
  $('energy').append(parts.energyWords = element('div', { class: 'values' }));
  if (hello.touch) parts.controls = new Controls($('controls'), hello, quietly);
  $('controls').append(parts.recorder.group);
  $('report').append(element('p', { class: 'note' }, 'Record a motion of ten seconds or more, then press Identify.'));
  chips();
  for (const sentence of hello.missing.slice(0, 2)) say(`Not drawn: ${sentence}`);
  if (hello.estimated.length) say(`The inertia of ${hello.estimated.length} links is estimated from their shapes.`, true);
  state('connected', 'connected');
}

function chips() {
  $('show').replaceChildren(...[...hello.spaces, 'tip_trace'].map((space) => {
    arm?.setVisible(space, Boolean(kShown[space]));
    return element('label', { class: 'check chip' }, element('input', { type: 'checkbox', checked: Boolean(kShown[space]), 'data-testid': `show-${space}`,
      onchange: ({ target }) => { kShown[space] = target.checked; arm?.setVisible(space, target.checked); } }), kNames[space] ?? space);
  }));
}

const norm = (values) => 1e3 * Math.hypot(...values);

function take(frame) {
  const time = frame.time[0], now = performance.now(), words = now - worded > 100;
  arm?.take(frame);
  parts.torques.take(frame, words);
  parts.controls?.takeFrame(frame);
  const [kinetic, potential] = frame.scalars;
  parts.error.take(time, [norm(frame.error), norm(frame.other_error)]);
  parts.energy.take(time, [kinetic, potential]);
  if (!words) return;
  worded = now;
  parts.matrices.take(frame);
  const unit = hello.joints.some(slides) ? 'mrad, mm' : 'mrad';
  const seen = Math.hypot(...frame.seen), pull = Math.hypot(...frame.pull);
  parts.errorWords.replaceChildren(
    element('span', { 'data-testid': 'error-now' }, `${controls.predict ? 'with' : 'without'} prediction ${text(norm(frame.error))} ${unit}`),
    element('span', {}, `${controls.predict ? 'without' : 'with'} ${text(norm(frame.other_error))} ${unit}`),
    element('span', { 'data-testid': 'pull' }, `pull ${text(pull)} N`), element('span', {}, `seen at the tip ${text(seen)} N`));
  parts.energyWords.replaceChildren(element('span', {}, `kinetic ${text(kinetic)} J`), element('span', {}, `potential ${text(potential)} J`),
    element('span', { 'data-testid': 'tip' }, `tip ${[...frame.scalars.subarray(2, 5)].map((x) => x.toFixed(3)).join(', ')} m`));
}

const link = new Link({
  hello: greet,
  controls(values) {
    controls = values;
    if (!parts) return;
    parts.controls?.take(values);
    parts.recorder.take(values.record);
    if (values.gravity) arm?.setGravity(values.gravity);
    const on = values.predict ? ['with prediction', 'without'] : ['without prediction', 'with'];
    parts.error.label(values.delay > 0 ? on : ['error', '']);
  },
  acting: (list) => ($('acting').textContent = list.join(' · ')),
  server(values) {
    server = values;
    parts?.recorder.length(values.recorded_s);
  },
  waiting: (what) => state('connected', 'connected', `Waiting ${what}…`),
  refused: (sentence) => say(sentence),
  csv(content) {
    const url = URL.createObjectURL(new Blob([content], { type: 'text/csv' }));
    element('a', { href: url, download: `${hello.name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  },
  identified(found) {
    parts.recorder.done();
    report($('report'), hello, found);
    choose(document.querySelector('[data-of=report]'));
    if (found.error) say(found.error);
  },
  lost(pause) {
    state('lost', 'no connection', `No connection to the program that shows the arm: trying again every ${text(pause / 1000, 2)} s. Is it still running?`);
    arm?.release();
  },
  binary(buffer) {
    const [kind, number] = new Uint32Array(buffer, 0, 2);
    if (number !== hello?.number) return;
    if (kind === 0) {
      ++frames;
      take(parts.read(buffer));
    } else if (kind === 1) {
      arm?.markers.take(new Float32Array(buffer, 8));
    } else {
      arm?.takeSurface(surfaces++, new Float32Array(buffer.slice(8)));
    }
  },
});

// ---- rates -----------------------------------------------------------------------------------------
setInterval(() => {
  if (!arm || !server.clients) return;
  $('rate').textContent = `${frames} frames/s, ${arm.drawn} drawn · server ${text(server.cpu_percent, 2)} % · ${server.clients} here`;
  frames = arm.drawn = 0;
}, 1000);

// ---- tabs ------------------------------------------------------------------------------------------
const kTabs = { tracking: 'Tracking error', energy: 'Energies', matrix: 'Mass matrix', factors: 'U and D', quasi: 'Velocities', report: 'Identified' };

function choose(tab) {
  for (const other of tab.parentElement.children) {
    const on = other === tab;
    other.setAttribute('aria-selected', on);
    other.tabIndex = on ? 0 : -1;
    $(other.dataset.of).hidden = !on;
  }
}

for (const list of document.querySelectorAll('[data-tabs]')) {
  for (const id of list.dataset.tabs.split(' ')) {
    list.append(element('button', { role: 'tab', 'data-of': id, 'aria-controls': id, onclick: ({ currentTarget }) => choose(currentTarget) }, kTabs[id]));
  }
  list.addEventListener('keydown', ({ key, target }) => {
    const next = { ArrowRight: target.nextElementSibling, ArrowLeft: target.previousElementSibling }[key];
    if (next) { choose(next); next.focus(); }
  });
  choose(list.firstElementChild);
}

// ---- a robot description on the page ---------------------------------------------------------------
async function load(file) {
  if (file.size > kMostBytes) return say(`${file.name} has ${text(file.size / 1e6)} MB, more than the ${kMostBytes / 1e6} MB of a robot description`);
  try {
    await link.set('robot', await file.text());
    say(`${file.name} is loaded.`, true);
  } catch (error) {
    say(`${file.name}: ${error.message}`);
  }
}

for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  window.addEventListener(name, (event) => {
    event.preventDefault();
    document.body.classList.toggle('dropping', Boolean(hello?.load) && name.startsWith('dragenter') | (name === 'dragover'));
    if (name === 'drop' && hello?.load && event.dataTransfer.files[0]) load(event.dataTransfer.files[0]);
  });
}
