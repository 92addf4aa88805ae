// The socket: messages in, commands out in order, again and again when it breaks.

export class Link {
  constructor(handlers) {
    this.handlers = handlers;
    this.waiting = [];
    this.pause = 500;
    this.open();
  }

  open() {
    const url = new URL('socket', location.href);
    url.protocol = 'ws:';
    url.search = location.search;
    this.socket = new WebSocket(url);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onmessage = ({ data }) => this.take(data);
    this.socket.onclose = () => this.lost();
  }

  lost() {
    const refused = this.waiting.splice(0);
    for (const { reject } of refused) reject(new Error('the connection is lost; the command may not have arrived'));
    this.handlers.lost(this.pause);
    setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(this.pause * 1.5, 4000);
  }

  take(data) {
    if (typeof data !== 'string') return this.handlers.binary(data);
    const message = JSON.parse(data);
    this.pause = 500;
    if ('ok' in message || 'error' in message) {
      const asked = this.waiting.shift();
      if (!asked) return;
      if (message.ok) asked.resolve();
      else asked.reject(new Error(message.error));
      return;
    }
    for (const [name, value] of Object.entries(message)) this.handlers[name]?.(value);
  }

  // Resolves when the arm has taken it; rejects with the sentence of the refusal.
  set(name, value) {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) return reject(new Error('there is no connection'));
      this.waiting.push({ resolve, reject });
      this.socket.send(JSON.stringify({ set: name, value }));
    });
  }
}

// A frame's numbers by name, as the hello lays them out.
export function reader(layout) {
  let at = 0;
  const places = layout.map(({ name, size }) => {
    at += size;
    return [name, at - size, size];
  });
  return (buffer) => {
    const all = new Float64Array(buffer, 8);
    return Object.fromEntries(places.map(([name, begin, size]) => [name, all.subarray(begin, begin + size)]));
  };
}
