// What every page has: times that stay right, copy buttons, and regions that can be replaced by a newer rendering.
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

const ago = (then) => {
  const seconds = Math.floor((Date.now() - then) / 1000);
  for (const [name, size] of UNITS) {
    if (seconds >= size) {
      const number = Math.floor(seconds / size);
      return `${number} ${name}${number === 1 ? "" : "s"} ago`;
    }
  }
  return "just now";
};

const tick = () => {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const then = Date.parse(time.dateTime);
    if (Date.now() - then < 30 * 86400e3) time.textContent = ago(then);
  }
};

// Replaces each [data-region] by the one of the same name in a fresh rendering. Scripts in it never run.
window.replaceRegions = (html) => {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const region of document.querySelectorAll("[data-region]")) {
    const next = fresh.querySelector(`[data-region="${CSS.escape(region.dataset.region)}"]`);
    if (!next) continue;
    const known = new Map([...region.querySelectorAll("[data-key]")].map((row) => [row.dataset.key, row.dataset.version]));
    const folding = region.querySelector("[data-folds]");
    region.replaceWith(document.adoptNode(next));
    if (folding) next.querySelector("[data-folds]").open = folding.open;
    if (known.size) {
      for (const row of next.querySelectorAll("[data-key]")) {
        if (known.get(row.dataset.key) !== row.dataset.version) row.classList.add("changed");
      }
    }
  }
  document.title = fresh.title;
  enhance();
};

const enhance = () => {
  tick();
  for (const button of document.querySelectorAll("[data-copy], [data-pick-all]")) button.hidden = false;
};

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    await navigator.clipboard.writeText(copy.dataset.copy);
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1600);
  }
  const all = event.target.closest("[data-pick-all]");
  if (all) {
    const boxes = [...all.closest("form").querySelectorAll("input[type=checkbox]:not(:disabled)")];
    const on = boxes.some((box) => !box.checked);
    for (const box of boxes) box.checked = on;
  }
});

document.documentElement.classList.add("scripted");
if (matchMedia("(max-width: 60rem)").matches) {
  for (const details of document.querySelectorAll("[data-folds]")) details.open = false;
}
enhance();
setInterval(tick, 1000);
