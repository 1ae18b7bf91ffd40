// Follows the event stream and shows the page anew when something that it shows has moved.
// Where the stream fails, the page itself is asked every few seconds.
{
  const POLL_MS = 5000;
  const watched = document.querySelector("[data-live]").dataset.live;
  let refreshing = false, again = false, polling = null;

  const say = (text) => { for (const place of document.querySelectorAll("[data-live-state]")) place.textContent = text; };
  const fresh = () => {
    const now = new Date().toISOString().replace(/\.\d+/, "");
    for (const time of document.querySelectorAll("[data-as-of]")) { time.dateTime = now; time.textContent = "just now"; }
  };
  const ended = () => document.querySelector("[data-live][data-ended]") !== null;

  const refresh = async () => {
    if (refreshing) { again = true; return; }
    refreshing = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) { window.replaceRegions(await answer.text()); fresh(); }
    } catch { say("· waiting for the connection"); }
    refreshing = false;
    if (again) { again = false; setTimeout(refresh, 500); }
  };

  const poll = () => {
    if (polling) return;
    say("· asking every 5 s");
    polling = setInterval(() => { if (!document.hidden && !ended()) refresh(); }, POLL_MS);
  };

  const follow = () => {
    const stream = new EventSource("/api/v1/submissions/stream");
    stream.addEventListener("submission", (event) => {
      const moved = JSON.parse(event.data);
      if (watched !== "any" && moved.submissionId !== watched) return;
      const place = document.querySelector("[data-announce]");
      if (place) place.textContent = `${moved.skillName} is now ${moved.state.toLowerCase().replaceAll("_", " ")}`;
      refresh();
    });
    stream.addEventListener("end", () => {
      say("· live");
      fresh();
      if (ended()) stream.close();
    });
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) poll();
    });
    // What moved between the rendering and the first answer of the stream is not in it.
    stream.addEventListener("end", refresh, { once: true });
    addEventListener("pagehide", () => stream.close(), { once: true });
  };

  if (!ended()) { "EventSource" in window ? follow() : poll(); }
  addEventListener("pageshow", (event) => { if (event.persisted && !ended()) { refresh(); follow(); } });
}
