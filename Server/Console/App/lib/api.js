import { released } from "./press.js";

// The client of the public API, authenticated by the session cookie. Errors carry a text for the user. Responses and errors wait until no
// pointer is pressed, since the page is drawn after them.

export class Refused extends Error {
  /**
   * `status` is 0 when there was no response. `seconds` is how long to wait before a retry, after too many requests. `code` is for programs,
   * where the surface has codes.
   */
  constructor(status, words, seconds = 0, code = null) {
    super(words);
    this.status = status;
    this.seconds = seconds;
    this.code = code;
  }
}

/** The signed-in user. `ended` is called when the server no longer accepts the session, with the reason unless it only expired. */
export const session = { user: null, ended: () => {}, isLeaving: false };

/** A path below the signed-in user's. Throws when nobody is signed in: work of the last user must not continue for the next one. */
export function mine(path) {
  if (!session.user) throw new DOMException("You are signed out.", "AbortError");
  return `/api/users/user/${encodeURIComponent(session.user.id)}${path}`;
}

/** A query string without the empty values. */
export function query(values) {
  const text = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== ""));
  return text.size > 0 ? `?${text}` : "";
}

export async function call(method, path, { body, bearer, key, signal } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  if (bearer) headers.Authorization = `Bearer ${bearer}`;
  let answer;
  let text;
  try {
    answer = await fetch(path, {
      method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin", cache: "no-store",
    });
    // The connection may also break within the response.
    text = await answer.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    await released();
    signal?.throwIfAborted();
    throw new Refused(0, "The server cannot be reached. Check your connection.");
  }
  await released();
  // The view was left with this click.
  signal?.throwIfAborted();
  if (answer.ok) return parsed(text);
  throw refusal(answer.status, text, answer.headers.get("Retry-After"));
}

/** The content of a successful response. The sign-in page of a wireless network, for example, is none of this server. */
function parsed(text) {
  try {
    return text ? JSON.parse(text) : {};
  } catch {
    throw new Refused(0, "The response did not come from Keepsake. Check your connection.");
  }
}

/**
 * Sends a form with files. `fetch` cannot report the progress of an upload, so this uses XMLHttpRequest.
 * Calls `onProgress` with 0…1. The idempotency key makes a retry safe.
 */
export function send(path, form, { onProgress = () => {}, signal, key = freshKey() } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("Idempotency-Key", key);
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", async () => {
      await released();
      try {
        if (request.status < 200 || request.status >= 300) throw refusal(request.status, request.responseText, request.getResponseHeader("Retry-After"));
        resolve(parsed(request.responseText));
      } catch (error) {
        reject(error);
      }
    });
    request.addEventListener("error", () => released().then(() => reject(new Refused(0, "The connection broke before the upload was complete."))));
    request.addEventListener("abort", () => reject(new DOMException("Stopped.", "AbortError")));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}

/** 128 random bits. `crypto.randomUUID` exists only on https and localhost. */
export function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A random UUID (RFC 9562, version 4). */
export function freshUUID() {
  const digits = freshKey();
  const variant = (8 | (Number.parseInt(digits[16], 16) & 3)).toString(16);
  return [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, variant + digits.slice(17, 20), digits.slice(20)].join("-");
}

/** The error of a refused request. A session that has ended shows the sign-in page. */
export function refusal(status, text, retryAfter) {
  let body = {};
  try { body = JSON.parse(text); } catch { /* A proxy's response. The text below is used. */ }
  const said = typeof body.details === "string" ? body.details : typeof body.message === "string" ? body.message : "";
  // While the user deletes the account, 401 is expected.
  if (session.user && !session.isLeaving) {
    if (status === 401) session.ended();
    else if (status === 403 && body.error === "suspended") session.ended(said);
  }
  if (status === 429) {
    const seconds = Number(retryAfter) || 1;
    return new Refused(status, `Too many requests just now. Try again in ${seconds === 1 ? "a second" : `${seconds} seconds`}.`, seconds);
  }
  return new Refused(status, said || `The server refused this (${status}).`, 0, typeof body.error === "string" ? body.error : null);
}
