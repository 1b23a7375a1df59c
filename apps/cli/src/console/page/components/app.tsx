import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { apiOf } from "../api.ts";
import { connect } from "../connection.ts";
import { visible } from "../format.ts";
import { listenToKeys } from "../keyboard.ts";
import { type Route, routeOf } from "../route.ts";
import { initial, type Model } from "../state.ts";
import { applyTheme, keptTheme, onSystemTheme, THEMES } from "../theme.ts";
import { EventsView } from "./events-view.tsx";
import { FleetView } from "./fleet-view.tsx";
import { Guard } from "./guard.tsx";
import { Help } from "./help.tsx";
import { LimiterView } from "./limiter-view.tsx";
import { Notice } from "./notice.tsx";
import { TopBar } from "./top-bar.tsx";

/** The whole page. */
export function App({ token }: { readonly token: string }): JSX.Element {
  const api = useMemo(() => apiOf(token), [token]);
  const [model, setModel] = useState<Model>(() => initial(Date.now()));
  const [route, setRoute] = useState<Route>(() => routeOf(location.hash));
  const [helpIsOpen, setHelp] = useState(false);
  const [theme, setTheme] = useState(keptTheme);
  // Charts are drawn with the colours of their time: another look makes them anew.
  const [look, setLook] = useState(0);

  const title = titleOf(route, model);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => connect(token, api, setModel), [token, api]);
  useEffect(() => onSystemTheme(() => setLook((count) => count + 1)), []);
  useEffect(() => {
    const changed = (): void => {
      setRoute(routeOf(location.hash));
      scrollTo(0, 0);
      // What follows in the order of Tab, and what is read aloud, is the new view.
      document.getElementById("main")?.focus({ preventScroll: true });
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  useEffect(
    () =>
      listenToKeys({
        help: () => setHelp(true),
        back: () => {
          if (routeOf(location.hash).view !== "fleet") location.hash = "#/";
        },
      }),
    [],
  );
  const nextTheme = useCallback(() => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
    applyTheme(next);
    setTheme(next);
    setLook((count) => count + 1);
  }, [theme]);

  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <TopBar model={model} route={route} theme={theme} onTheme={nextTheme} onHelp={() => setHelp(true)} />
      <main id="main" tabIndex={-1}>
        <Notice model={model} />
        {model.console !== undefined && (
          // Nothing of the view before may stay: the filter, the rows, the failure.
          <Guard key={JSON.stringify(route)}>
            <View model={model} route={route} api={api} look={look} />
          </Guard>
        )}
      </main>
      <Help open={helpIsOpen} onClose={() => setHelp(false)} />
    </>
  );
}

/** What a tab of the browser shows of the page. */
function titleOf(route: Route, { frames }: Model): string {
  const sign = frames.at(-1)?.state === "attention" ? "▲ " : "";
  const view = route.view === "limiter" ? visible(route.name) : route.view;
  return `${sign}${view} · dt console`;
}

interface ViewProps {
  readonly model: Model;
  readonly route: Route;
  readonly api: ReturnType<typeof apiOf>;
  readonly look: number;
}

function View({ model, route, api, look }: ViewProps): JSX.Element {
  if (route.view === "events") return <EventsView model={model} />;
  if (route.view === "fleet") return <FleetView model={model} look={look} />;
  return <LimiterView model={model} kind={route.kind} name={route.name} api={api} look={look} />;
}
