// What happens on the server, as it happens: one socket, opened again when it is lost, from the number seen last.

export class Live {
  #socket = null;
  #seen;
  #wait = 1000;
  #timer = 0;
  #wanted = false;

  /** `onEvent` hears each event; `onGap` that some may have been missed; `onState` "live" or "away". */
  constructor({ onEvent, onGap, onState }) {
    this.onEvent = onEvent;
    this.onGap = onGap;
    this.onState = onState;
    const soon = () => { if (this.#wanted && !this.#socket) this.#open(); };
    window.addEventListener("online", soon);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) soon(); });
  }

  start() {
    this.#wanted = true;
    this.#seen = undefined;
    this.#open();
  }

  stop() {
    this.#wanted = false;
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#socket = null;
  }

  #open() {
    clearTimeout(this.#timer);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const since = this.#seen === undefined ? "" : `?since=${this.#seen}`;
    const socket = new WebSocket(`${scheme}://${location.host}/ws/events${since}`);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#wait = 1000;
      this.onState("live");
      // Without a number it hears only what happens from now on; what happened while it opened is not said.
      if (this.#seen === undefined) this.onGap();
    });
    socket.addEventListener("message", (message) => {
      if (socket !== this.#socket) return;
      const event = JSON.parse(message.data);
      this.#seen = event.seq;
      if (event.type === "reset") this.onGap();
      else this.onEvent(event);
    });
    socket.addEventListener("close", (event) => {
      if (socket !== this.#socket) return;
      this.#socket = null;
      if (!this.#wanted) return;
      // The session has ended: the next thing that is read says so.
      if (event.code === 1008) this.onGap();
      this.onState("away");
      // Some chance in it, so that not everybody comes back at once.
      this.#timer = setTimeout(() => this.#open(), this.#wait * (0.5 + Math.random()));
      this.#wait = Math.min(this.#wait * 2, 30_000);
    });
  }
}
