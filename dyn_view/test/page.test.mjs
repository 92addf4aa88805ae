// The page in Chromium, shown by the program itself.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const { DYN, DYN_CORE, CHROMIUM } = process.env;
const robot = (name) => join(DYN_CORE, 'robots', `${name}.urdf`);
const kMost = 300000; // ms: a busy machine

// The program with its page; resolves with its address.
function show(...args) {
  const program = spawn(DYN, ['view', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  program.ended = new Promise((resolve) => program.on('exit', (code, signal) => resolve(signal ?? code)));
  return new Promise((resolve, reject) => {
    let text = '';
    program.stdout.on('data', (part) => {
      text += part;
      const url = /http:\S+/.exec(text);
      if (url) resolve({ program, url: url[0] });
    });
    program.ended.then(() => reject(new Error(`it ended: ${text}`)));
  });
}

let browser, shown;
before(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, timeout: kMost, args: ['--headless', '--no-sandbox', '--disable-gpu',
    '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--enable-unsafe-swiftshader'] });
  shown = await show(robot('arm7'), '--tip', 'tool0', '--port', '0');
});
// A page that a failed test left open would draw on beside the others.
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
after(async () => {
  await browser?.close();
  shown?.program.kill('SIGINT');
});

async function open(url = shown.url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 920, height: 420 }, ...options });
  page.setDefaultTimeout(kMost);
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(String(error)));
  await page.goto(url);
  return page;
}
const at = (page, id) => page.locator(`[data-testid="${id}"]`);
const connected = (page) => page.waitForSelector('[data-testid=connection][data-state=connected]');
const until = (page, test, argument) => page.waitForFunction(test, argument, { timeout: kMost });
async function ready(url, options) {
  const page = await open(url, options);
  await connected(page);
  await until(page, () => document.querySelector('[data-testid=mass-matrix]').dataset.q);
  return page;
}
// The arm rests: two frames, half a second of its time apart, show the same.
const rests = (page) => page.waitForFunction(() => {
  const { q, time } = document.querySelector('[data-testid=mass-matrix]').dataset;
  const now = { q: JSON.parse(q), time: Number(time) }, was = window.looked ?? now;
  if (was !== now && now.time - was.time < 0.5) return false;
  window.looked = now;
  return was !== now && was.q.every((x, i) => Math.abs(x - now.q[i]) < 1e-4);
}, undefined, { timeout: kMost, polling: 100 });
// Commands by a socket of the test's own, as a script sends them.
const command = (page, name, value) => page.evaluate(([n, v]) => new Promise((resolve) => {
  const socket = new WebSocket(`ws://${location.host}/socket${location.search}`);
  socket.onopen = () => socket.send(JSON.stringify({ set: n, value: v }));
  socket.onmessage = ({ data }) => {
    if (typeof data !== 'string' || !/^\{"(ok|error)"/.test(data)) return;
    socket.close();
    resolve(JSON.parse(data));
  };
}), [name, value]);
// How many colours the picture of the arm has.
const shades = (page) => page.evaluate(() => {
  const source = document.querySelector('#arm canvas');
  const copy = Object.assign(document.createElement('canvas'), { width: source.width, height: source.height });
  const g = copy.getContext('2d');
  g.drawImage(source, 0, 0);
  const { data } = g.getImageData(0, 0, copy.width, copy.height);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 16) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
  return seen.size;
});

test('the arm is drawn and moves', async () => {
  const page = await ready();
  await until(page, () => document.querySelector('#rate').textContent.includes('frames/s'));
  assert.ok((await shades(page)) > 200, 'the picture is of few colours');
  const image = () => page.evaluate(() => document.querySelector('#arm canvas').toDataURL());
  const first = await image();
  await until(page, (was) => document.querySelector('#arm canvas').toDataURL() !== was, first);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test('the mass matrix on the page is that of dyn eval', async () => {
  const page = await ready();
  const [q, values] = await page.evaluate(() => {
    const box = document.querySelector('[data-testid=mass-matrix]');
    return [JSON.parse(box.dataset.q), [...box.querySelectorAll('td')].map((cell) => Number(cell.dataset.value))];
  });
  const out = execFileSync(DYN, ['eval', robot('arm7'), '--tip', 'tool0', `--q=${q.join(',')}`, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const matrix = JSON.parse(out).mass_matrix.flat();
  assert.equal(values.length, matrix.length);
  const largest = Math.max(...matrix.map(Math.abs));
  matrix.forEach((x, i) => assert.ok(Math.abs(x - values[i]) < 1e-12 * largest, `entry ${i}: ${values[i]}, not ${x}`));
  await page.close();
});

test('every control acts', async () => {
  const page = await ready();
  const shownElsewhere = await ready(shown.url, { viewport: { width: 200, height: 200 } });
  await at(page, 'law').selectOption('gravity');
  await until(shownElsewhere, () => document.querySelector('[data-testid=law]').value === 'gravity');
  await at(page, 'law').selectOption('computed_torque');
  await at(page, 'predict').uncheck();
  await until(shownElsewhere, () => !document.querySelector('[data-testid=predict]').checked);
  await until(page, () => document.querySelector('[data-testid=error-now]').textContent.startsWith('without'));
  await at(page, 'predict').check();
  await at(page, 'observer').selectOption('estimate');
  await until(page, () => /seen at the tip \d/.test(document.querySelector('#tracking').textContent));
  const gravity = () => page.evaluate(() => document.querySelector('[data-testid=torque-1]').textContent);
  await at(page, 'home').click();
  // As near as friction lets it come.
  await until(page, () => Math.abs(JSON.parse(document.querySelector('[data-testid=mass-matrix]').dataset.q)[1]) < 0.01);
  await at(page, 'joint-1').focus();
  // Where presses are more than 0.8 s apart, the slider goes back to the arm between them.
  const angle = () => page.evaluate(() => JSON.parse(document.querySelector('[data-testid=mass-matrix]').dataset.q)[1]);
  while ((await angle()) < 0.3) {
    if (Number(await at(page, 'joint-1').inputValue()) < 0.4) await page.keyboard.press('ArrowRight');
  }
  await rests(page); // else the torque is more than the weight's
  const before = Number.parseFloat(await gravity());
  await at(page, 'payload-mass').fill('3');
  await until(page, (was) => Math.abs(Number.parseFloat(document.querySelector('[data-testid=torque-1]').textContent)) > Math.abs(was) + 3, before);
  await at(page, 'payload-mass').fill('0');
  await at(page, 'gravity').selectOption('ceiling');
  await until(page, (was) => Math.sign(Number.parseFloat(document.querySelector('[data-testid=torque-1]').textContent)) === -Math.sign(was), before);
  await at(page, 'gravity').selectOption('floor');
  await at(page, 'fault').selectOption('state_not_finite');
  await until(page, () => document.querySelector('#acting').textContent.includes('fault injected'));
  await at(page, 'fault').selectOption('none');
  await until(page, () => document.querySelector('#acting').textContent === '');
  assert.deepEqual(page.problems, []);
  await page.close();
  await shownElsewhere.close();
});

test('a drag moves the arm and lets it go', async () => {
  const page = await ready();
  await command(page, 'motion', 'hold');
  await command(page, 'law', 'gravity');
  const tip = async () => (await at(page, 'tip').textContent()).match(/-?\d+\.\d+/g).map(Number);
  await page.locator('[role=tab]', { hasText: 'Energies' }).click();
  await until(page, () => document.querySelector('[data-testid=tip]')?.textContent.includes('m'));
  // A place of the picture where the arm is: its orange rings, those high up.
  const place = await page.evaluate(() => {
    const source = document.querySelector('#arm canvas');
    const copy = Object.assign(document.createElement('canvas'), { width: source.width, height: source.height });
    const g = copy.getContext('2d');
    g.drawImage(source, 0, 0);
    const { data } = g.getImageData(0, 0, copy.width, copy.height);
    const found = [];
    for (let i = 0; i < data.length; i += 4) {
      if (data[i] > 150 && data[i + 1] < 110 && data[i + 2] < 60) found.push([(i / 4) % copy.width, Math.floor(i / 4 / copy.width)]);
    }
    const [x, y] = found[Math.floor(found.length / 10)];
    const { left, top, width } = source.getBoundingClientRect();
    return { x: left + (x * width) / copy.width, y: top + (y * width) / copy.width };
  });
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  await page.mouse.move(place.x + 120, place.y + 40, { steps: 2 });
  await until(page, () => Number.parseFloat(document.querySelector('[data-testid=pull]').textContent.slice(5)) > 0.5);
  const from = await tip();
  await until(page, (was) => {
    const now = document.querySelector('[data-testid=tip]').textContent.match(/-?\d+\.\d+/g).map(Number);
    return Math.hypot(...now.map((x, i) => x - was[i])) > 0.02;
  }, from);
  await page.mouse.up();
  await until(page, () => Number.parseFloat(document.querySelector('[data-testid=pull]').textContent.slice(5)) === 0);
  await command(page, 'law', 'computed_torque');
  await command(page, 'motion', 'sway');
  await page.close();
});

test('a recording is a file that dyn identify reads, and is identified here', async () => {
  const own = await show(robot('arm7'), '--tip', 'tool0', '--port', '0');
  const page = await ready(own.url);
  await at(page, 'record').click();
  await until(page, () => Number.parseFloat(document.querySelector('[data-testid=recorded]').textContent) > 6);
  await at(page, 'record').click();
  const [download] = await Promise.all([page.waitForEvent('download'), at(page, 'csv').click()]);
  const file = join(mkdtempSync(join(tmpdir(), 'dyn-view-')), 'log.csv');
  await download.saveAs(file);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  assert.match(lines[0], /^t,q_1,.*,qd_1,.*,tau_7$/);
  assert.ok(lines.length > 500);
  const checked = JSON.parse(execFileSync(DYN, ['check', robot('arm7'), '--tip', 'tool0', file, '--effort', 'with_gravity', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const joint of checked.joints) assert.ok(joint.rms_error < 0.2 * joint.rms_measured + 0.05, JSON.stringify(joint));
  await at(page, 'identify').click();
  await until(page, () => document.querySelector('#report').textContent.includes('identified'));
  await page.close();
  own.program.kill('SIGINT');
});

test('a dropped robot takes the place of the other, a broken one is refused with its sentence', async () => {
  const own = await show(robot('arm7'), '--tip', 'tool0', '--port', '0');
  const page = await ready(own.url);
  const bad = join(DYN_CORE, 'test/data/urdf/bad_negative_mass.urdf');
  await at(page, 'robot-file').setInputFiles(bad);
  let sentence = '';
  try {
    execFileSync(DYN, ['info', bad], { stdio: 'pipe' });
  } catch (error) {
    sentence = String(error.stderr).trim().split('.urdf: ').at(-1);
  }
  assert.ok(sentence.length > 20);
  await until(page, (text) => document.querySelector('[data-testid=message]')?.textContent.includes(text), sentence);
  assert.equal(await page.locator('#name').textContent(), 'arm7');
  await at(page, 'robot-file').setInputFiles(robot('puma560'));
  await until(page, () => document.querySelector('#name').textContent.startsWith('puma'));
  await until(page, () => JSON.parse(document.querySelector('[data-testid=mass-matrix]').dataset.q ?? '[]').length === 6);
  assert.ok((await shades(page)) > 100);
  await page.close();
  own.program.kill('SIGINT');
  assert.equal(await own.program.ended, 0);
});

test('it comes back when the program does, and says so while it is away', async () => {
  const first = await show(robot('arm7'), '--tip', 'tool0', '--port', '0');
  const page = await ready(first.url);
  first.program.kill('SIGINT');
  assert.equal(await first.program.ended, 0);
  await page.waitForSelector('[data-testid=connection][data-state=lost]');
  assert.ok(await page.locator('#overlay').isVisible());
  const second = await show(robot('puma560'), '--port', new URL(first.url).port);
  await connected(page);
  await until(page, () => document.querySelector('#name').textContent.startsWith('puma'));
  assert.ok(await page.locator('#overlay').isHidden());
  await page.close();
  second.program.kill('SIGTERM');
  assert.equal(await second.program.ended, 0);
});

test('eight clients at once', async () => {
  const page = await ready();
  await page.evaluate(() => {
    window.others = Array.from({ length: 7 }, () => {
      const other = { socket: new WebSocket(`ws://${location.host}/socket`), frames: 0 };
      other.socket.onmessage = ({ data }) => (other.frames += typeof data === 'string' ? 0 : 1);
      return other;
    });
  });
  await until(page, () => window.others.every(({ frames }) => frames > 60));
  await until(page, () => document.querySelector('#rate').textContent.includes('8 here'));
  await page.evaluate(() => window.others.forEach(({ socket }) => socket.close()));
  await until(page, () => document.querySelector('#rate').textContent.includes('1 here'));
  await page.close();
});

test('a page of another origin cannot reach the socket', async () => {
  const page = await browser.newPage();
  await page.goto('data:text/html,<p>elsewhere</p>');
  const outcome = await page.evaluate((url) => new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  }), `${shown.url.replace('http', 'ws')}socket`);
  assert.equal(outcome, 'refused');
  await page.close();
});

test('everything is reached by the keyboard, also on a phone in the dark', async () => {
  const page = await ready(shown.url, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  const seen = new Set();
  for (let k = 0; k < 60; ++k) {
    await page.keyboard.press('Tab');
    seen.add(await page.evaluate(() => document.activeElement.dataset.testid));
  }
  for (const id of ['arm', 'law', 'predict', 'payload-mass', 'gravity', 'fault', 'record']) assert.ok(seen.has(id), `${id} is not reached`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false);
  assert.deepEqual(page.problems, []);
  await page.close();
});
