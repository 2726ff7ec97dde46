// Links that the server hands out are absolute, under its public URL. The console may have been opened under another name of the same
// server, and only its own origin may be talked to: so it uses their path and query.

export function here(link) {
  const url = new URL(link, location.href);
  return url.pathname + url.search;
}

/** A smaller copy of a picture, or of a film's first one. The link's signature covers its path only, so more may stand in its query. */
export function smaller(link, width, height, fit = "cover") {
  const url = new URL(link, location.href);
  url.searchParams.set("w", width);
  url.searchParams.set("h", height);
  url.searchParams.set("fit", fit);
  return url.pathname + url.search;
}

/** The drawn form of a sound, read by the cookie: the link's signature is of another path. */
export function waveform(link) {
  return `${new URL(link, location.href).pathname}/waveform`;
}

/** The file's own name for itself: the last part of the path. */
export function fileID(link) {
  return decodeURIComponent(new URL(link, location.href).pathname.split("/").pop());
}
