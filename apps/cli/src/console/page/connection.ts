import type { Frame, Hello } from "../protocol.ts";
import { type Api, eventsUrl } from "./api.ts";
import { type Model, withConnection, withFrame, withHello } from "./state.ts";

/** How a step changes the model. */
export type Change = (step: (model: Model) => Model) => void;

/** Between two tries, in milliseconds. */
const RETRY_MS = 1_000;

/** The least silence after which a connection counts as lost, in milliseconds: a sleeping machine sends no end. */
const SILENCE_MS = 10_000;

/** Receives the events of the console, and connects again for as long as the token is known. The answer ends it. */
export function connect(token: string, api: Api, change: Change): () => void {
  let source: EventSource | undefined;
  let timer: number | undefined;
  let silenceMs = SILENCE_MS;
  let ended = false;

  const open = (): void => {
    source = new EventSource(eventsUrl(token));
    source.addEventListener("hello", (event) => {
      const hello = JSON.parse(event.data) as Hello;
      silenceMs = Math.max(SILENCE_MS, 5 * hello.periodMs);
      received((model) => withHello(model, hello, Date.now()));
    });
    source.addEventListener("frame", (event) => {
      const frame = JSON.parse(event.data) as Frame;
      received((model) => withFrame(model, frame, Date.now()));
    });
    source.addEventListener("error", lost);
    after(silenceMs, lost);
  };
  const received = (step: (model: Model) => Model): void => {
    after(silenceMs, lost);
    change(step);
  };
  const lost = (): void => {
    source?.close();
    change((model) => withConnection(model, "reconnecting", Date.now()));
    after(RETRY_MS, () => void tryAgain());
  };
  const tryAgain = async (): Promise<void> => {
    // An EventSource does not say why it failed.
    const { result, reason } = await api.probe();
    if (ended) return;
    if (result === "ready") return open();
    const connection = result === "refused" ? "refused" : "reconnecting";
    change((model) => withConnection(model, connection, Date.now(), reason));
    if (result !== "refused") after(RETRY_MS, () => void tryAgain());
  };
  const after = (ms: number, then: () => void): void => {
    clearTimeout(timer);
    timer = window.setTimeout(then, ms);
  };

  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    source?.close();
  };
}
