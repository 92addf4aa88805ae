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

export class Markers {
  constructor(hello, links) {
    this.spaces = hello.spaces;
    this.frames = [...hello.links, hello.base, hello.tip].map((name) => links[name]);
    this.visible = {};
    this.objects = [];
    this.ball = new THREE.SphereGeometry(0.5, 28, 18);
  }

  setVisible(space, on) {
    this.visible[space] = on;
    for (const object of this.objects) object.visible = this.visible[object.userData.space];
  }

  take(numbers) {
    for (const object of this.objects) {
      object.removeFromParent();
      if (object.geometry !== this.ball) object.geometry.dispose();
      object.material.dispose();
    }
    this.objects = [];
    let at = 0;
    const next = (count) => numbers.subarray(at, (at += count));
    while (at < numbers.length) {
      const [space, shape, frame] = next(3);
      const pose = next(7), scale = next(3), color = next(4), [points, shades] = next(2);
      const marker = { shape: kShapes[shape], pose, scale, color, points: next(3 * points), shades: next(4 * shades) };
      if (this.visible[this.spaces[space]]) this.add(this.spaces[space], this.frames[frame], marker);
    }
  }

  add(space, frame, marker) {
    const object = marker.shape === 'ellipsoid' ? this.ellipsoid(space, marker) : this.lines(space, marker);
    const { pose } = marker;
    object.position.set(pose[0], pose[1], pose[2]);
    object.quaternion.set(pose[3], pose[4], pose[5], pose[6]);
    object.userData.space = space;
    this.objects.push(object);
    frame.add(object);
  }

  ellipsoid(space, { scale, color }) {
    const object = new THREE.Mesh(this.ball, new THREE.MeshStandardMaterial({
      color: kColors[space], transparent: color[3] < 1, opacity: color[3], depthWrite: color[3] === 1,
      depthTest: space !== 'center_of_mass',
    }));
    object.scale.set(...scale);
    if (space === 'center_of_mass') object.renderOrder = 2;
    return object;
  }

  lines(space, { shape, color, points, shades }) {
    const ends = [], tints = [];
    for (let i = 0; i + 1 < points.length / 3; i += shape === 'strip' ? 1 : 2) {
      ends.push(...points.subarray(3 * i, 3 * i + 6));
      for (const k of [i, i + 1]) tints.push(...shades.subarray(4 * k, 4 * k + 3));
    }
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(ends);
    if (shades.length) geometry.setColors(tints);
    const faint = color[3] < 0.3;
    return new LineSegments2(geometry, new LineMaterial({
      color: shades.length ? '#ffffff' : faint ? '#8a93a0' : kColors[space], vertexColors: shades.length > 0,
      linewidth: faint ? 1 : 3, transparent: faint, opacity: faint ? 0.5 : 1, depthTest: faint || (space !== 'gravity_torque' && space !== 'dh_frames'),
    }));
  }
}
