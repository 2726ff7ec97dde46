import { call, session } from "./api.js";

/** Loads the user of the session cookie; `null` without a valid cookie. */
export async function resume() {
  try {
    session.user = await call("GET", "/user/me");
  } catch (error) {
    if (error.status !== 401) throw error;
    session.user = null;
  }
  return session.user;
}

export const signIn = (email, password) => enter("/auth/password/login", { email, password });
export const register = (email, password, { name, invite }) => enter("/auth/password/register", {
  email, password, ...(name ? { name } : {}), ...(invite ? { invite } : {}),
});

export const confirmRegistration = (code, password) => enter("/auth/password/register/confirm", { code, password });

/** Exchanges the token for a cookie at once and discards it: scripts cannot read the cookie. */
async function enter(path, body) {
  const signedIn = await call("POST", path, { body });
  await call("POST", "/auth/session", { bearer: signedIn.token.access_token });
  session.user = signedIn.user;
}

export async function signOut() {
  await call("DELETE", "/auth/session");
  session.user = null;
}
