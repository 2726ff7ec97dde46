import { call } from "./api.js";

let paths = null;

/**
 * Whether the server has the route with that path, by its description. A server of an earlier version may not have it. Throws when the
 * description cannot be read.
 */
export async function hasRoute(path) {
  paths ??= call("GET", "/openapi.json").then((description) => new Set(Object.keys(description.paths)));
  try {
    return (await paths).has(path);
  } catch (error) {
    paths = null;
    throw error;
  }
}
