// Light and dark: the colors that the canvases need; those of the page itself are in page.css.

const THEMES = {
  light: { gray: [0.3, 0.33, 0.39], rim: [0.08, 0.09, 0.11], paper: [1, 1, 1], accent: "#101620", veil: "rgb(16 22 32 / 0.07)", halo: "rgb(255 255 255 / 0.85)", ink: "#15181d" },
  dark: { gray: [0.66, 0.7, 0.77], rim: [0.96, 0.97, 0.98], paper: [0.078, 0.09, 0.11], accent: "#f4f6fa", veil: "rgb(230 236 246 / 0.1)", halo: "rgb(20 23 28 / 0.85)", ink: "#e8eaee" },
};

// Whether the nearest background behind an element is dark; null where there is none.
function isDarkBehind(element) {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }); // reads a color of any notation
  for (let each = element; each; each = each.parentElement || each.getRootNode().host) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = getComputedStyle(each).backgroundColor;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, opacity] = pen.getImageData(0, 0, 1, 1).data;
    if (opacity > 127) return r + g + b < 384;
  }
  return null;
}

// The theme of what is around: of the reader's system for a page in a file, of the notebook for a widget; until the
// button says otherwise.
function followSurroundings(page) {
  const asked = matchMedia("(prefers-color-scheme: dark)");
  const around = page.host === document.documentElement ? null : page.host.parentElement;
  const follow = () => { if (!page.themeChosen) page.setTheme((around && isDarkBehind(around)) ?? asked.matches); };
  follow();
  asked.addEventListener("change", follow, { signal: page.ended.signal });
  if (!around) return;
  const observer = new MutationObserver(follow);
  for (const each of [document.documentElement, document.body]) observer.observe(each, { attributes: true });
  page.ended.signal.addEventListener("abort", () => observer.disconnect());
}

function themeButton(page) {
  const made = button("Dark", "Dark page", () => {
    page.themeChosen = true;
    page.setTheme(!page.dark);
  });
  made.id = "theme";
  made.setAttribute("aria-pressed", String(page.dark));
  return made;
}
