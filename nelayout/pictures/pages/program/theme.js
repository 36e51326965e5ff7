// Light and dark: the colors that the canvases need; those of the page itself are in page.css.

const THEMES = {
  light: { gray: [0.3, 0.33, 0.39], rim: [0.08, 0.09, 0.11], paper: [1, 1, 1], accent: "#101620", veil: "rgb(16 22 32 / 0.07)", halo: "rgb(255 255 255 / 0.85)", ink: "#15181d" },
  dark: { gray: [0.66, 0.7, 0.77], rim: [0.96, 0.97, 0.98], paper: [0.078, 0.09, 0.11], accent: "#f4f6fa", veil: "rgb(230 236 246 / 0.1)", halo: "rgb(20 23 28 / 0.85)", ink: "#e8eaee" },
};

// The theme that the reader's system asks for, until the button says otherwise.
function followSystem(page) {
  const asked = matchMedia("(prefers-color-scheme: dark)");
  page.setTheme(asked.matches);
  asked.addEventListener("change", () => { if (!page.themeChosen) page.setTheme(asked.matches); });
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
