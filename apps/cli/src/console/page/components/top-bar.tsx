import type { JSX } from "preact";
import { counted, duration, visible } from "../format.ts";
import type { Route } from "../route.ts";
import type { Connection, Model } from "../state.ts";
import type { Theme } from "../theme.ts";

interface Props {
  readonly model: Model;
  readonly route: Route;
  readonly theme: Theme;
  readonly onTheme: () => void;
  readonly onHelp: () => void;
}

const WORDS: Readonly<Record<Connection, string>> = {
  connecting: "connecting",
  live: "live",
  reconnecting: "reconnecting",
  refused: "ended",
  "other-version": "other version",
};

/** What store this is, whether the page is live, and the ways around. */
export function TopBar({ model, route, theme, onTheme, onHelp }: Props): JSX.Element {
  const { storeMs } = model.frames.at(-1) ?? { storeMs: null };
  return (
    <header class="top">
      <h1>
        <a href="#/" class="brand">
          dt console
        </a>
      </h1>
      {model.console !== undefined && (
        <span class="store" data-testid="store" title={visible(model.console.store)}>
          {visible(model.console.store)}
        </span>
      )}
      <span class={`live live-${model.connection}`} data-testid="connection">
        <i aria-hidden="true" />
        {WORDS[model.connection]}
      </span>
      {storeMs !== null && (
        <span class="wide dim" data-testid="store-latency">
          store {duration(storeMs.mean)}
        </span>
      )}
      {model.console?.writes === false && <span class="wide tag">read-only</span>}
      <nav aria-label="Views">
        <a href="#/" aria-current={route.view === "fleet" ? "page" : undefined}>
          Fleet
        </a>
        <a href="#/events" aria-current={route.view === "events" ? "page" : undefined}>
          Events
          <span class="dim" title={counted(model.marks.length, "event")}>
            {" "}
            {model.marks.length}
          </span>
        </a>
      </nav>
      <span class="tools">
        <button type="button" onClick={onTheme} data-testid="theme" aria-label={`Colours: ${theme}. Change them`}>
          ◐ {theme}
        </button>
        <button type="button" onClick={onHelp} aria-label="Keys" data-testid="help">
          ?
        </button>
      </span>
    </header>
  );
}
