// The server's links are absolute, under its public URL. The console may have been opened under another name of the same server and may
// only send requests to its own origin, so it uses the path and query of a link.

export function here(link) {
  const url = new URL(link, location.href);
  return url.pathname + url.search;
}

/** A smaller copy of a picture, or of a film's first frame. The signature covers only the path, so the query may be extended. */
export function smaller(link, width, height, fit = "cover") {
  const url = new URL(link, location.href);
  url.searchParams.set("w", width);
  url.searchParams.set("h", height);
  url.searchParams.set("fit", fit);
  return url.pathname + url.search;
}

/** A film as browsers play it: the original, or its copy once the server has made it. */
export function playable(link) {
  const url = new URL(link, location.href);
  url.searchParams.set("play", 1);
  return url.pathname + url.search;
}

/** The waveform of a sound. The request uses the cookie, since the link's signature covers another path. */
export function waveform(link) {
  return `${new URL(link, location.href).pathname}/waveform`;
}

/** The file's name: the last part of the path. */
export function fileID(link) {
  return decodeURIComponent(new URL(link, location.href).pathname.split("/").pop());
}
