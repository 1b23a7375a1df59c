const KEPT_AS = "dt-console-theme";

/** Which colours: those that the system asks for, or always the same. */
export const THEMES = ["auto", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

/** What was chosen before. */
export function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return THEMES.find((theme) => theme === kept) ?? "auto";
}

/** Shows a theme, and keeps it for the next time. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEPT_AS, theme);
  document.documentElement.setAttribute("data-theme", theme);
}

/** Calls back when the system asks for other colours. The answer ends it. */
export function onSystemTheme(changed: () => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => dark.removeEventListener("change", changed);
}

/** A colour of the stylesheet as a canvas takes it. @param name of a custom property, such as `--text` */
export function colour(name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
