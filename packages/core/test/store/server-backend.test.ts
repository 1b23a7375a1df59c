import { expect, it } from "vitest";
import { type Call, type Server, Store, serverBackend } from "../../src/store/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

it("an operation sends one request, and its answer is what the reply means", async () => {
  const sent: string[] = [];
  const server: Server<string> = {
    capabilities: { name: "s", clock: "server", ledger: true, losesData: false, hints: false },
    runtime: new VirtualRuntime(),
    timeoutMs: 1_000,
    send: async (request: string, call: Call) => {
      call.sent = true;
      sent.push(`${call.what}: ${request}`);
      return `reply to ${request}`;
    },
    close: () => undefined,
  };
  const store = new Store(
    serverBackend(
      server,
      {
        inspectPermits: {
          request: (key) => `look at ${key}`,
          answer: (reply, key) => ({ ...{ key }, terms: String(reply) }) as never,
        },
      },
      { list: () => ({ names: ["of more than one request"] }) },
    ),
  );
  expect(await store.inspectPermits("k")).toEqual({ key: "k", terms: "reply to look at k" });
  expect(sent).toEqual(["s inspectPermits: look at k"]);
  expect(await store.list()).toEqual({ groups: ["of more than one request"] });
  expect(store.repair).toBeUndefined();
});
