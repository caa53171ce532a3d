// Unlocking an encrypted store with its passphrase.

import { field, form, h } from "./dom.js";
import { get, post, setToken } from "./api.js";

let isAsking = false;

/** Asks for the passphrase of the store, and loads the page again when the store is unlocked. */
export async function offerUnlock() {
  if (isAsking) return;
  isAsking = true;
  const state = await get("/api/lock").catch(() => null);
  // Another program may have unlocked the store.
  if (state && !state.isLocked) return location.reload();
  if (!state?.hasPassphrase) {
    isAsking = false;
    return;
  }
  setToken(state.csrf);
  const input = h("input", {
    name: "passphrase", type: "password", required: true, autocomplete: "current-password",
  });
  form({
    title: "Unlock the store", confirm: "Unlock", fields: field("Passphrase", input),
    text: "The store is encrypted and locked. It stays unlocked until the machine restarts,"
      + " or hrgate store lock.",
    submit: async () => {
      const { problem } = await post("/api/unlock", { passphrase: input.value });
      // A notice would vanish with the reload.
      if (problem) alert(problem);
      location.reload();
    },
  }).addEventListener("close", () => { isAsking = false; });
}
