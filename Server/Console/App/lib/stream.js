import { Refused, refusal } from "./api.js";
import { released } from "./press.js";

// Server-sent events over fetch: unlike EventSource, fetch can send a body and says why the server refused.

/** Characters of one event, at most. */
const longest = 16 * 1024 * 1024;

/** Parses server-sent events from pieces of text, as the HTML standard defines them. `onEvent` gets `{ id, event, data }`. */
export class EventParser {
  #rest = "";
  #event = "";
  #data = [];
  #length = 0;
  /** The id of the last event that had one; `null` before. */
  id = null;

  constructor(onEvent) {
    this.onEvent = onEvent;
  }

  take(text) {
    // A piece may end inside a line, and between the CR and the LF of its end.
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    this.#length += text.length;
    if (this.#length > longest) throw new Error("The server sent an answer that is too long to show.");
    for (const line of lines) this.#line(line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  #line(line) {
    if (line === "") {
      if (this.#data.length > 0) this.onEvent({ id: this.id, event: this.#event || "message", data: this.#data.join("\n") });
      this.#event = "";
      this.#data = [];
      this.#length = this.#rest.length;
      return;
    }
    const colon = line.indexOf(":");
    // A comment.
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id") this.id = value;
  }
}

/**
 * Sends a request and calls `onEvent` with each event of its response. Resolves when the response ends. Throws `Refused` when the server
 * refuses, and a `Refused` of status 0 when the connection breaks.
 */
export async function readEvents(path, { method = "GET", body, lastEventID, onEvent, signal }) {
  const headers = { Accept: "text/event-stream" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (lastEventID) headers["Last-Event-ID"] = lastEventID;
  const answer = await reached(fetch(path, {
    method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin", cache: "no-store",
  }));
  if (!answer.ok) throw refusal(answer.status, await reached(answer.text()), answer.headers.get("Retry-After"));
  const parser = new EventParser(onEvent);
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reached(reader.read());
      signal?.throwIfAborted();
      if (done) return;
      parser.take(decoder.decode(value, { stream: true }));
    }
  } finally {
    // The stream is cancelled even after an error of `onEvent`: the rest of the response is not needed.
    reader.cancel().catch(() => {});
  }
}

/** What a request brings, or its error, when no pointer is pressed: the page is drawn after it. */
async function reached(work) {
  try {
    const value = await work;
    await released();
    return value;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    await released();
    throw new Refused(0, "The connection to the server broke.");
  }
}
