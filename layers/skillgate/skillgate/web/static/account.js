// Keeps somebody signed in: the access token is short-lived, and a refresh token may be used once. So one tab at a time
// renews it, and the others see that it was done.
{
  const RENEW_MS = 8 * 60e3;
  const out = document.querySelector("[data-sign-out]");
  const remembered = () => Number(localStorage.getItem("session-renewed") || 0);

  const renew = (olderThan) => navigator.locks.request("session", async () => {
    if (Date.now() - remembered() < olderThan) return true;
    const answer = await fetch("/api/v1/auth/refresh", { method: "POST" });
    if (answer.ok) localStorage.setItem("session-renewed", String(Date.now()));
    else localStorage.removeItem("session-renewed");
    return answer.ok;
  });

  if (out) {
    if (!remembered()) localStorage.setItem("session-renewed", String(Date.now()));
    setInterval(() => { if (!document.hidden) renew(RENEW_MS); }, 60e3);
    out.addEventListener("submit", async (event) => {
      event.preventDefault();
      localStorage.removeItem("session-renewed");
      await fetch(out.action, { method: "POST" });
      location.assign("/");
    });
  } else if (remembered()) {
    // The token ran out while nobody looked. If the session still stands, this page is worth a second look.
    const since = Date.now() - remembered();
    if (since < RENEW_MS) localStorage.removeItem("session-renewed");
    else renew(RENEW_MS).then((ok) => { if (ok) location.reload(); });
  }
}
