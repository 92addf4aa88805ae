// The arm in 3D: links by their shapes, moved by the poses of the frames, and a hand that pulls at them.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { Markers } from './markers.js';
import { colors, prefers } from './format.js';

const kTrace = 240; // points of the tip's trace
const kSmooth = 900000; // numbers of a surface that is smoothed

function place(object, pose, at = 0) {
  object.position.set(pose[at], pose[at + 1], pose[at + 2]);
  object.quaternion.set(pose[at + 3], pose[at + 4], pose[at + 5], pose[at + 6]);
}

export class Arm {
  constructor(box, drag) {
    this.box = box;
    this.drag = drag;
    this.drawn = 0;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 1.5));
    box.append(this.renderer.domElement);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.orbit = new OrbitControls(this.camera, this.renderer.domElement);
    this.orbit.addEventListener('change', () => (this.stale = true));
    this.scene.add(new THREE.HemisphereLight('#ffffff', '#8d8a86', 2.2));
    const sun = new THREE.DirectionalLight('#ffffff', 1.8);
    sun.position.set(2, -3, 5);
    this.scene.add(sun);
    this.world = new THREE.Group(); // turned so that gravity points down
    this.scene.add(this.world);
    this.ray = new THREE.Raycaster();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(box);
    prefers('dark').addEventListener('change', () => this.paint());
    this.resize();
    const step = () => {
      requestAnimationFrame(step);
      if (this.stale) this.render();
    };
    step();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.box;
    if (!w || !h) return;
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  render() {
    this.stale = false;
    this.renderer.render(this.scene, this.camera);
    ++this.drawn;
  }

  // ---- a robot -----------------------------------------------------------------------------------
  load(hello) {
    this.world.traverse((object) => {
      object.geometry?.dispose();
      object.material?.dispose();
    });
    this.markers?.dispose();
    this.world.clear();
    this.world.visible = false; // until the joints' angles come
    this.scene.remove(this.grid);
    this.hello = hello;
    this.links = {};
    this.grips = new Set(hello.grips);
    this.meshes = [];
    this.pending = [];
    for (const { link, parent } of [...hello.fixed, ...hello.moving]) {
      for (const name of [parent, link]) {
        if (this.links[name]) continue;
        this.links[name] = new THREE.Group();
        this.links[name].name = name;
      }
      this.links[parent].add(this.links[link]);
    }
    const root = Object.values(this.links).find((link) => !link.parent);
    this.world.add(root);
    for (const { link, pose } of hello.fixed) place(this.links[link], pose);
    this.base = this.links[hello.base];
    this.tip = this.links[hello.tip];
    for (const shape of hello.shapes) this.addShape(shape);
    this.addSkeleton();
    const reach = Math.max(hello.reach, 0.05);
    this.markers = new Markers(hello, this.links);
    this.addTrace();
    this.addSpring(reach);
    this.grid = new THREE.GridHelper(4 * Math.ceil(reach), 16);
    this.grid.rotation.x = Math.PI / 2;
    this.scene.add(this.grid);
    this.paint();
    this.orbit.target.set(0, 0, 0.52 * reach);
    const far = 1.15 * reach * Math.max(1, 0.85 / Math.min(this.camera.aspect, 1));
    this.camera.position.set(1.5 * far, -1.9 * far, 1.15 * far);
    this.orbit.minDistance = 0.2 * reach;
    this.orbit.maxDistance = 12 * reach;
    this.orbit.update();
  }

  paint() {
    const dark = prefers('dark').matches;
    if (this.grid) {
      this.grid.material.vertexColors = false;
      this.grid.material.color.set(dark ? '#3a4350' : '#c3c8d1');
      this.grid.material.needsUpdate = true;
    }
    this.scene.background = new THREE.Color(dark ? '#171b22' : '#eceff3');
    this.stale = true;
  }

  material(shape) {
    const [r, g, b, a] = shape.color ?? [0.62, 0.66, 0.72, 1];
    const color = new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
    return new THREE.MeshStandardMaterial({
      color, roughness: 0.65, metalness: 0.05, transparent: a < 1, opacity: a, side: THREE.DoubleSide,
    });
  }

  addShape(shape) {
    const [x, y, z] = shape.size;
    if (shape.kind === 'mesh') {
      this.pending.push(shape);
      return;
    }
    let geometry;
    if (shape.kind === 'box') geometry = new THREE.BoxGeometry(x, y, z);
    else if (shape.kind === 'sphere') geometry = new THREE.SphereGeometry(x, 32, 20);
    else geometry = new THREE.CylinderGeometry(x, x, y, 36).rotateX(Math.PI / 2);
    this.addMesh(geometry, shape);
  }

  addMesh(geometry, shape) {
    const mesh = new THREE.Mesh(geometry, this.material(shape));
    place(mesh, shape.pose);
    if (shape.kind === 'mesh') mesh.scale.set(...shape.size);
    mesh.userData.link = shape.link;
    this.meshes.push(mesh);
    this.links[shape.link]?.add(mesh);
    this.stale = true;
  }

  // Surfaces come in the order of their numbers, after the hello.
  takeSurface(number, corners) {
    let geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(corners, 3));
    if (corners.length < kSmooth) geometry = toCreasedNormals(geometry, 0.6);
    else geometry.computeVertexNormals();
    for (const shape of this.pending.filter(({ surface }) => surface === number)) this.addMesh(geometry, shape);
  }

  // Where nothing is drawn a rod stands for the link.
  addSkeleton() {
    const { hello } = this;
    const drawn = new Set(hello.shapes.map(({ link }) => link));
    this.rods = [];
    for (const { link, parent } of hello.moving) {
      if (drawn.has(parent) || drawn.has(link)) continue;
      const rod = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 12),
        this.material({}));
      rod.userData.link = parent;
      this.rods.push({ rod, to: this.links[link], radius: 0.02 * Math.max(hello.reach, 0.05) });
      this.links[parent].add(rod);
      this.meshes.push(rod);
    }
  }

  addTrace() {
    this.trace = new THREE.BufferGeometry();
    this.trace.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * kTrace), 3));
    this.trace.setDrawRange(0, 0);
    this.traced = [];
    this.traceLine = new THREE.Line(this.trace, new THREE.LineBasicMaterial({ color: colors.external }));
    this.traceLine.frustumCulled = false;
    this.base.add(this.traceLine);
  }

  addSpring(reach) {
    this.spring = new THREE.ArrowHelper(new THREE.Vector3(0, 0, 1), new THREE.Vector3(), 1, colors.feedback);
    this.spring.visible = false;
    this.base.add(this.spring);
    this.hand = new THREE.Mesh(new THREE.SphereGeometry(0.018 * reach, 20, 14),
      new THREE.MeshBasicMaterial({ color: colors.feedback }));
    this.hand.visible = false;
    this.base.add(this.hand);
  }

  setGravity([x, y, z]) {
    const g = new THREE.Vector3(x, y, z);
    if (g.length() < 1e-6) g.set(0, 0, -1);
    const away = this.camera.position.clone().sub(this.orbit.target);
    this.world.quaternion.setFromUnitVectors(g.normalize(), new THREE.Vector3(0, 0, -1));
    this.orbit.target.set(0, 0, 0.52 * this.hello.reach).applyQuaternion(this.world.quaternion);
    this.camera.position.copy(this.orbit.target).add(away);
    this.orbit.update();
    this.stale = true;
  }

  setVisible(space, on) {
    if (space === 'tip_trace') this.traceLine.visible = on;
    else this.markers.setVisible(space, on);
    this.stale = true;
  }

  take(frame) {
    this.world.visible = true;
    this.hello.moving.forEach(({ link }, i) => place(this.links[link], frame.poses, 7 * i));
    for (const { rod, to, radius } of this.rods) {
      const length = to.position.length();
      rod.scale.set(radius, Math.max(length, 1e-6), radius);
      rod.position.copy(to.position).multiplyScalar(0.5);
      if (length > 1e-9) rod.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), to.position.clone().divideScalar(length));
    }
    this.traced.push(frame.scalars[2], frame.scalars[3], frame.scalars[4]);
    if (this.traced.length > 3 * kTrace) this.traced.splice(0, 3);
    this.trace.attributes.position.array.set(this.traced);
    this.trace.attributes.position.needsUpdate = true;
    this.trace.setDrawRange(0, this.traced.length / 3);
    const pull = new THREE.Vector3(...frame.pull);
    this.spring.visible = this.hand.visible = pull.length() > 1e-6 && Boolean(this.held);
    if (this.spring.visible) {
      const from = new THREE.Vector3(...frame.pulled_at);
      const to = this.base.worldToLocal(this.target.clone());
      this.spring.position.copy(from);
      this.spring.setDirection(to.clone().sub(from).normalize());
      this.spring.setLength(Math.max(to.distanceTo(from), 1e-3));
      this.hand.position.copy(to);
    }
    this.stale = true;
  }

  // ---- the hand ----------------------------------------------------------------------------------
  pick(event) {
    const { left, top, width, height } = this.renderer.domElement.getBoundingClientRect();
    this.ray.setFromCamera(new THREE.Vector2(
      (2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height), this.camera);
  }

  listen() {
    const canvas = this.renderer.domElement;
    canvas.addEventListener('pointerdown', (event) => this.grab(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => this.release());
    window.addEventListener('blur', () => this.release());
    this.box.addEventListener('keydown', (event) => this.key(event));
    setInterval(() => this.held && this.pull(), 250); // the server lets go of what nobody renews
  }

  grab(event) {
    if (!this.hello?.touch || event.button !== 0) return;
    this.pick(event);
    const hit = this.ray.intersectObjects(this.meshes, false)[0];
    const link = hit?.object.userData.link;
    if (!link || !this.grips.has(link)) return;
    this.orbit.enabled = false;
    event.target.setPointerCapture(event.pointerId);
    this.held = { link, point: this.links[link].worldToLocal(hit.point.clone()).toArray() };
    this.target = hit.point.clone();
    this.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(
      this.camera.getWorldDirection(new THREE.Vector3()), hit.point);
    this.pull();
  }

  move(event) {
    if (!this.held) return;
    this.pick(event);
    if (!this.ray.ray.intersectPlane(this.plane, this.target)) return;
    if (performance.now() - this.pulled > 30) this.pull();
  }

  pull() {
    this.pulled = performance.now();
    const target = this.base.worldToLocal(this.target.clone()).toArray();
    this.drag({ ...this.held, target });
  }

  release() {
    if (!this.held) return;
    this.held = null;
    this.orbit.enabled = true;
    this.drag(null);
  }

  key(event) {
    const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    const zoom = { '+': 0.9, '=': 0.9, '-': 1.1 }[event.key];
    if (!turn && !zoom) return;
    event.preventDefault();
    const away = this.camera.position.clone().sub(this.orbit.target);
    if (zoom) away.multiplyScalar(zoom);
    else {
      const side = new THREE.Vector3().crossVectors(this.camera.up, away).normalize();
      away.applyAxisAngle(this.camera.up, turn[0]);
      const tilted = away.clone().applyAxisAngle(side, turn[1]);
      if (Math.abs(tilted.z) < 0.98 * tilted.length()) away.copy(tilted);
    }
    this.camera.position.copy(this.orbit.target).add(away);
    this.orbit.update();
    this.stale = true;
  }
}
