import { VirtualRuntime } from "@dt/core/testing";
import { until } from "@dt-tooling/backends";
import { onTestFinished } from "vitest";
import { Callee } from "../../src/callee/callee.ts";
import type { CalleeSettings, ProviderSettings } from "../../src/callee/settings.ts";

export const OPENAI = "v1/chat/completions";
export const ANTHROPIC = "v1/messages";

const USUAL: Omit<CalleeSettings, "provider"> = {
  port: 0,
  rate: undefined,
  capacity: 100_000,
  queue: 100,
  finishesAll: false,
  serverTiming: false,
  takesMs: 0,
  exponential: false,
  slow: undefined,
  fail: 0,
  hang: 0,
  phases: [],
  ids: undefined,
};

export const perMinute = (count: number) => ({ count, intervalMs: 60_000 });

/** What a call asks of a provider. */
export interface CallOptions {
  readonly path?: string;
  /** Tokens of the prompt; without it as many as its characters make. */
  readonly prompt?: number;
  /** Tokens of the output. */
  readonly output?: number;
  /** Fields of the body beside the messages. */
  readonly fields?: object;
  readonly signal?: AbortSignal;
}

/** A real server whose time is virtual. */
export interface RunningProvider {
  readonly callee: Callee;
  readonly url: string;
  readonly runtime: VirtualRuntime;
  /** Sends a call; resolves with the head of its answer. */
  call(options: CallOptions): Promise<Response>;
  /** Awaits something, while every timer fires that is due now. */
  settled<T>(promise: Promise<T>): Promise<T>;
}

export async function startProviderHere(
  provider: Partial<ProviderSettings>,
  settings: Partial<CalleeSettings> = {},
): Promise<RunningProvider> {
  const runtime = new VirtualRuntime();
  const whole = { tokens: perMinute(1_000), streams: true, tokenTakesMs: 10, ...provider };
  const callee = new Callee({ ...USUAL, ...settings, provider: whole }, { runtime });
  onTestFinished(() => callee.close());
  const url = await callee.listen();
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    promise.then(over, over);
    await until("it is settled", 20_000, async () => {
      await runtime.advance(0);
      return isOver;
    });
    return promise;
  };
  const call = ({ path = OPENAI, prompt, output, fields, signal }: CallOptions): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(prompt !== undefined && { "X-Prompt-Tokens": `${prompt}` }),
        ...(output !== undefined && { "X-Output-Tokens": `${output}` }),
      },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }], ...fields }),
      ...(signal && { signal }),
    });
  return { callee, url, runtime, call, settled };
}

/** One server-sent event, its data as it was sent. */
export interface SentEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Reads server-sent events as a client does that knows no provider. */
export function eventsIn(text: string): SentEvent[] {
  const blocks = text.split("\n\n").filter((block) => block !== "");
  return blocks.map((block) => {
    const fields = new Map(block.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    return { event: fields.get("event"), data: fields.get("data") ?? "" };
  });
}

/** The data of events, read as JSON. */
export function dataIn(text: string): Record<string, unknown>[] {
  const events = eventsIn(text).filter(({ data }) => data !== "[DONE]");
  return events.map(({ data }) => JSON.parse(data) as Record<string, unknown>);
}
