// Numbers, units and small elements.

export const text = (x, digits = 3) => {
  if (!Number.isFinite(x)) return '—';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size < 1e-9) return '0';
  return size >= 1e5 || size < 1e-3 ? x.toExponential(digits - 1) : Number(x.toPrecision(digits)).toString();
};

// As many decimals as fit a narrow cell.
export const short = (x) => {
  const size = Math.abs(x);
  if (!(size >= 5e-4 && size < 1e5)) return text(x, 1);
  return x.toFixed(size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0);
};

export const slides = (joint) => joint.type === 'prismatic';
export const unit = (joint) => (slides(joint) ? 'm' : 'rad');
export const effortUnit = (joint) => (slides(joint) ? 'N' : 'N m');
// Of an entry of the mass matrix.
export const inertiaUnit = (a, b) => ['kg m²', 'kg m', 'kg'][Number(slides(a)) + Number(slides(b))];

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// Okabe and Ito's colours, which colour-blind people tell apart.
export const colors = {
  inertia: '#0072b2', feedback: '#d55e00', coriolis: '#cc79a7', gravity: '#e69f00', friction: '#56b4e9',
  external: '#009e73', handover: '#999999', limited: '#f0e442', rest: '#009e73',
  with: '#0072b2', without: '#d55e00', kinetic: '#009e73', potential: '#e69f00',
};

export const prefers = (what) => window.matchMedia(`(prefers-color-scheme: ${what})`);
