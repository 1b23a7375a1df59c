import { classifierOf, createAnswerReader } from "@dt/adaptive";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { throttled } from "../../src/index.ts";

const options = { rejection: false, maxPause: "1ms" } as const;
const sdkError = (fields: object): Error => Object.assign(new Error("refused"), fields);

describe("a record whose call is refused", () => {
  it.each([
    ["429", { status: 429, headers: {} }],
    ["403 with Retry-After", { status: 403, headers: { "retry-after": "1" } }],
    ["403 with nothing left", { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" } }],
    [
      "403 with nothing left, as fetch has it",
      new Response(null, { status: 403, headers: { ratelimit: '"p";r=0;t=1' } }),
    ],
    [
      "400 with nothing left, as Anthropic tells it",
      { statusCode: 400, headers: { "anthropic-ratelimit-tokens-remaining": "0" } },
    ],
  ])("by %s ends as throttled, whether it was returned or thrown", async (_, answer) => {
    const returned = await throttled([1], async () => answer, options).run();
    const { status, statusCode, headers } = answer as Record<string, unknown>;
    const thrown = await throttled([1], () => Promise.reject(sdkError({ status, statusCode, headers })), options).run();
    const within = await throttled([1], () => Promise.reject(sdkError({ response: answer })), options).run();
    for (const counts of [returned, thrown, within]) expect(counts).toMatchObject({ throttledByCallee: 1, error: 0 });
  });

  it.each([
    ["a bare 403", { status: 403, headers: {} }],
    ["403 with something left", { status: 403, headers: { "x-ratelimit-remaining": "5" } }],
    ["500 with Retry-After", { status: 500, headers: { "retry-after": "1" } }],
    ["504, which is no answer", { status: 504, headers: { "retry-after": "1" } }],
  ])("ends as an error by %s", async (_, answer) => {
    const counts = await throttled([1], async () => answer, options).run();
    expect(counts).toMatchObject({ throttledByCallee: 0, error: 1 });
  });

  it("and told no time waits with all others for about a second, and longer each time", async () => {
    const runtime = new VirtualRuntime();
    const calledAt: number[] = [];
    const refuse = async () => {
      calledAt.push(runtime.now());
      return { status: 429, headers: { "retry-after": "later" } };
    };
    const run = throttled([1, 2, 3], refuse, { rejection: false, concurrency: 1, runtime }).run();
    await runtime.advance(5_000);
    expect(await run).toMatchObject({ throttledByCallee: 3 });
    const [first = 0, second = 0, third = 0] = calledAt;
    expect([second - first >= 1_000, third - second >= 2_000]).toEqual([true, true]);
  });

  it("in a way that a hook knows ends as throttled, and pauses the others", async () => {
    const readAnswer = ({ source }: { readonly source: unknown }) => {
      const { retryAfter } = source as { readonly retryAfter?: number };
      return retryAfter === undefined ? undefined : { pauseMs: retryAfter * 1_000 };
    };
    const classify = classifierOf(createAnswerReader({ readAnswer }));
    const counts = await throttled([1, 2], () => Promise.reject(sdkError({ retryAfter: 30 })), {
      ...options,
      classify,
    }).run();
    expect(counts).toMatchObject({ throttledByCallee: 2, error: 0 });
  });
});
