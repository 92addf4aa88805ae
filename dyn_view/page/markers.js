// What dyn_core paints of the dynamics: ellipsoids and lines, fixed to links.
import * as THREE from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

const kShapes = ['ellipsoid', 'strip', 'list'];
const kColors = {
  center_of_mass: '#d55e00', link_inertia: '#0072b2', manipulability: '#009e73', dynamic_manipulability: '#cc79a7',
  gravity_torque: '#e69f00', predicted_motion: '#56b4e9',
};

function fill(geometry, first, attribute, numbers) {
  if (!attribute) return void geometry[first](numbers);
  attribute.data.array.set(numbers);
  attribute.data.needsUpdate = true;
}

export class Markers {
  constructor(hello, links) {
    this.spaces = hello.spaces;
    this.frames = [...hello.links, hello.base, hello.tip].map((name) => links[name]);
    this.visible = {};
    this.objects = [];
    this.materials = {};
    this.ball = new THREE.SphereGeometry(0.5, 28, 18);
  }

  setVisible(space, on) {
    this.visible[space] = on;
    for (const object of this.objects) object.visible = this.visible[object.userData.space];
  }

  dispose() {
    for (const material of Object.values(this.materials)) material.dispose();
  }

  take(numbers) {
    const before = this.objects;
    this.objects = [];
    let at = 0;
    const next = (count) => numbers.subarray(at, (at += count));
    while (at < numbers.length) {
      const [space, shape, frame] = next(3);
      const pose = next(7), scale = next(3), color = next(4), [points, shades] = next(2);
      const marker = { space: this.spaces[space], shape: kShapes[shape], alpha: color[3], points: next(3 * points), shades: next(4 * shades) };
      if (this.visible[marker.space]) this.put(marker, this.frames[frame], pose, scale, before);
    }
    for (const object of before) this.remove(object);
  }

  // An object of the message before serves again where it is of the same kind: a material or a buffer
  // made anew is compiled or sent to the graphics processor anew, which takes longer than a picture.
  put(marker, frame, pose, scale, before) {
    const kind = `${marker.space} ${marker.shape} ${marker.alpha} ${marker.points.length} ${marker.shades.length}`;
    const old = before.findIndex(({ userData }) => userData.kind === kind);
    const object = old < 0 ? this.make(marker) : before.splice(old, 1)[0];
    object.userData = { kind, space: marker.space };
    object.position.set(pose[0], pose[1], pose[2]);
    object.quaternion.set(pose[3], pose[4], pose[5], pose[6]);
    if (marker.shape === 'ellipsoid') object.scale.set(...scale);
    else this.draw(object.geometry, marker);
    if (object.parent !== frame) frame.add(object);
    this.objects.push(object);
  }

  remove(object) {
    object.removeFromParent();
    if (object.geometry !== this.ball) object.geometry.dispose();
  }

  make(marker) {
    const object = marker.shape === 'ellipsoid' ? new THREE.Mesh(this.ball, this.material(marker))
      : new LineSegments2(new LineSegmentsGeometry(), this.material(marker));
    object.frustumCulled = marker.shape === 'ellipsoid'; // lines change in their buffers, their bounds do not follow
    if (marker.space === 'center_of_mass') object.renderOrder = 2;
    return object;
  }

  material({ space, shape, alpha, shades }) {
    const shaded = shades.length > 0, faint = alpha < 0.3;
    return (this.materials[`${space} ${shape} ${alpha} ${shaded}`] ??= shape === 'ellipsoid'
      ? new THREE.MeshStandardMaterial({
        color: kColors[space], transparent: alpha < 1, opacity: alpha, depthWrite: alpha === 1, depthTest: space !== 'center_of_mass',
      })
      : new LineMaterial({
        color: shaded ? '#ffffff' : faint ? '#8a93a0' : kColors[space], vertexColors: shaded, linewidth: faint ? 1 : 3,
        transparent: faint, opacity: faint ? 0.5 : 1, depthTest: faint || (space !== 'gravity_torque' && space !== 'dh_frames'),
      }));
  }

  draw(geometry, { shape, points, shades }) {
    const ends = [], tints = [];
    for (let i = 0; i + 1 < points.length / 3; i += shape === 'strip' ? 1 : 2) {
      ends.push(...points.subarray(3 * i, 3 * i + 6));
      for (const k of [i, i + 1]) tints.push(...shades.subarray(4 * k, 4 * k + 3));
    }
    fill(geometry, 'setPositions', geometry.attributes.instanceStart, ends);
    if (tints.length) fill(geometry, 'setColors', geometry.attributes.instanceColorStart, tints);
  }
}
