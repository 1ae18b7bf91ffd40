// Results change while typing. A search is one step back in the history, however many letters it took.
{
  const WAIT_MS = 160;
  const form = document.querySelector("form[data-search]");
  const input = form.querySelector("input[type=search]");
  let timer = null, asked = 0, typing = false;

  const address = () => {
    const fields = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
    const query = new URLSearchParams(fields).toString();
    return form.getAttribute("action") + (query ? `?${query}` : "");
  };

  const show = async (url) => {
    const number = ++asked;
    const results = document.querySelector("[data-results]");
    results.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(url, { headers: { Accept: "text/html" } });
      const html = await answer.text();
      if (number !== asked) return;  // a later one is on its way
      if (!answer.ok) { location.assign(url); return; }
      window.replaceRegions(html);
    } catch { results.removeAttribute("aria-busy"); }
  };

  const search = () => {
    const url = address();
    if (url === location.pathname + location.search) return;
    if (typing) history.replaceState(null, "", url); else history.pushState(null, "", url);
    typing = true;
    show(url);
  };

  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, WAIT_MS); });
  input.addEventListener("blur", () => { typing = false; });
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(timer); search(); typing = false; });
  addEventListener("popstate", () => {
    typing = false;
    input.value = new URLSearchParams(location.search).get(input.name) || "";
    show(location.href);
  });
}
