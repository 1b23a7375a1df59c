import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http";
import { until } from "@dt-tooling/backends";
import type { Frame, Hello, Mark } from "../../../src/console/protocol.ts";
import { servedFiles } from "../../../src/console/served-files.ts";
import { type RunningConsole, startConsole } from "../../../src/console/start-console.ts";
import { openStore } from "../../../src/stores/open-store.ts";
import { parseStoreAddress } from "../../../src/stores/store-address.ts";

/** Stands for the page. */
export const FILES: ReadonlyMap<string, Uint8Array> = new Map([
  ["index.html", Buffer.from("<!doctype html><title>stand-in</title>")],
  ["page.js", Buffer.from("export {};")],
  ["secret.txt", Buffer.from("not of a type that is served")],
]);

export interface TestConsole extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly token: string;
}

/** A console on a free port, with a store of its own. */
export async function testConsole(
  address: string,
  { writes = false, periodMs = 200, port = 0 }: { writes?: boolean; periodMs?: number; port?: number } = {},
): Promise<TestConsole> {
  const parsed = parseStoreAddress(address);
  const store = await openStore(parsed, false);
  const options = { address: parsed, store, files: servedFiles(FILES), version: "0.0.0", port, writes, periodMs };
  let running: RunningConsole;
  try {
    running = await startConsole(options);
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    url: running.url,
    port: running.port,
    token: new URL(running.url).searchParams.get("token") as string,
    [Symbol.asyncDispose]: async () => {
      await running.close();
      await store.close();
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request, with exactly these headers and Host. */
export function ask(
  { port }: { readonly port: number },
  path: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { method?: string; headers?: OutgoingHttpHeaders | readonly string[]; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      // A stream does not end.
      if (response.headers["content-type"] === "text/event-stream") {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: "" });
        sent.destroy();
        return;
      }
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      response.on("error", reject);
    });
    sent.on("error", reject).end(body);
  });
}

/** A request of the page. */
export function askAsPage(
  console: TestConsole,
  path: string,
  order?: unknown,
): Promise<Answer & { readonly json: Record<string, unknown> }> {
  const headers = { Authorization: `Bearer ${console.token}`, "Content-Type": "application/json" };
  return ask(console, path, {
    headers,
    ...(order !== undefined && { method: "POST", body: JSON.stringify(order) }),
  }).then((answer) => ({ ...answer, json: JSON.parse(answer.body) }));
}

/** What a page receives: the stream of events, parsed. */
export class Page implements Disposable {
  readonly #abort = new AbortController();
  readonly frames: Frame[] = [];
  hello: Hello | undefined;
  /** Bytes of the longest frame. */
  longest = 0;
  ended = false;

  static async open(console: TestConsole): Promise<Page> {
    const page = new Page();
    const response = await fetch(`http://127.0.0.1:${console.port}/api/events?token=${console.token}`, {
      signal: page.#abort.signal,
    });
    if (response.status !== 200 || response.body === null) throw new Error(`answered ${response.status}`);
    void page.#read(response.body);
    await page.until("the hello has come", () => page.hello !== undefined);
    return page;
  }

  /** All marks that it was sent. */
  get marks(): readonly Mark[] {
    return [...(this.hello?.marks ?? []), ...this.frames.flatMap(({ marks }) => marks)];
  }

  get last(): Frame {
    return (this.frames.at(-1) ?? this.hello?.frames.at(-1)) as Frame;
  }

  until<T>(what: string, find: () => T): Promise<Exclude<T, undefined | false>> {
    return until(what, 10_000, find);
  }

  [Symbol.dispose](): void {
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const part of body) {
        text += decoder.decode(part, { stream: true });
        const events = text.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) this.#take(event);
      }
    } catch {
      // The test has closed it, or the console was cut off.
    }
    this.ended = true;
  }

  #take(event: string): void {
    const [, name, data = ""] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
    if (name === "hello") this.hello = JSON.parse(data);
    if (name !== "frame") return;
    this.longest = Math.max(this.longest, Buffer.byteLength(data));
    this.frames.push(JSON.parse(data));
  }
}
