// The server's events, live. One WebSocket; after a disconnect it reconnects from the last sequence number.

/** Milliseconds after which a hidden page does not trust its socket. A phone may have slept, and the network may have forgotten the connection. */
const longHidden = 60_000;

export class Live {
  #socket = null;
  #seen;
  #wait = 1000;
  #timer = 0;
  #wanted = false;
  #hiddenSince = Date.now();

  /**
   * Calls `onEvent` with each event, `onGap` when events may have been missed, `onEnd` when the server ended the session, and `onState` with
   * "live" or "away".
   */
  constructor({ onEvent, onGap, onEnd, onState }) {
    this.onEvent = onEvent;
    this.onGap = onGap;
    this.onEnd = onEnd;
    this.onState = onState;
    // A socket does not report that its network is gone: it stays open, and nothing arrives. A new socket gets what the old one missed.
    window.addEventListener("online", () => this.#openAgain());
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.#hiddenSince = Date.now();
      else if (!this.#socket || Date.now() - this.#hiddenSince > longHidden) this.#openAgain();
    });
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

  #openAgain() {
    if (!this.#wanted) return;
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.onState("away");
    this.#open();
  }

  #open() {
    clearTimeout(this.#timer);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const since = this.#seen === undefined ? "" : `?since=${this.#seen}`;
    const socket = new WebSocket(`${scheme}://${location.host}/ws/events${since}`);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      if (socket !== this.#socket) return;
      this.#wait = 1000;
      this.onState("live");
      // Without a sequence number, the socket delivers only new events; those before it opened may have been missed.
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
      if (event.code === 1008) this.onEnd();
      this.onState("away");
      // The wait varies at random, so that not all clients reconnect at the same time.
      this.#timer = setTimeout(() => this.#open(), this.#wait * (0.5 + Math.random()));
      this.#wait = Math.min(this.#wait * 2, 30_000);
    });
  }
}
