import type { JSX } from "preact";
import { duration, timeOfDay, visible } from "../format.ts";
import type { Model } from "../state.ts";
import { useNow } from "./now.ts";

/** What keeps the page from being up to date, and what to do. Nothing where all is well. */
export function Notice({ model }: { readonly model: Model }): JSX.Element | null {
  const { connection, sinceMs, frames, reason } = model;
  const nowMs = useNow(connection === "reconnecting" || connection === "connecting");
  const last = frames.at(-1);
  switch (connection) {
    case "refused":
      return (
        <section class="notice notice-attention" role="alert" data-testid="notice-refused">
          <h2>This link is of a console that has ended</h2>
          <p>
            Start it again, and open the address that it prints: <code>dt console &lt;store&gt;</code>
          </p>
          {reason !== undefined && <p class="dim">The console reports: {visible(reason)}.</p>}
        </section>
      );
    case "other-version":
      return (
        <section class="notice notice-attention" role="alert" data-testid="notice-version">
          <h2>The console was replaced by another version</h2>
          <p>Load this page again.</p>
        </section>
      );
    case "connecting":
      return (
        <section class="notice" data-testid="notice-connecting">
          <Spoken text="Connecting to the console" />
          <h2>Connecting to the console</h2>
          {nowMs - sinceMs > 3_000 && <p>It has not answered for {duration(nowMs - sinceMs)}. Is it still running?</p>}
          {reason !== undefined && <p>It reports: {visible(reason)}.</p>}
        </section>
      );
    case "reconnecting":
      return (
        <section class="notice notice-attention" data-testid="notice-reconnecting">
          <Spoken text="Reconnecting to the console" />
          <h2>Reconnecting: the console has not answered for {duration(Math.max(0, nowMs - sinceMs))}</h2>
          <p>{last === undefined ? "Nothing was received yet." : `What is below was so at ${timeOfDay(last.atMs)}.`}</p>
        </section>
      );
    case "live":
      if (last?.error === undefined) return null;
      return (
        <section class="notice notice-attention" role="alert" data-testid="notice-store">
          <h2>The store cannot be read</h2>
          <p>{visible(last.error)}</p>
          <p>What is below is what it answered last. The console goes on trying.</p>
        </section>
      );
  }
}

/** Read aloud once: the seconds beside it change all the time. */
function Spoken({ text }: { readonly text: string }): JSX.Element {
  return (
    <span class="unseen" role="status">
      {text}
    </span>
  );
}
