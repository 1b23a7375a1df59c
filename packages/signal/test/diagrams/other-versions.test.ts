import { VirtualRuntime } from "@dt/core/testing";
import { createSignalClient } from "@dt/signal";
import { until } from "@dt-tooling/backends";
import { describe, expect, it } from "vitest";
import { Tap } from "../support/tap.ts";
import { TestServer } from "../support/test-server.ts";

/** The design's first diagram: what servers did before there was a signal. */
describe.each([
  { what: "a client of before the signal", client: false, server: true },
  { what: "a server of before the signal", client: true, server: false },
  { what: "both of before the signal", client: false, server: false },
])("$what", (supports) => {
  it("no signal is sent: the connection is not read until the mark, and then everything arrives in order", async () => {
    const runtime = new VirtualRuntime({ startMs: 10_300 });
    const topicQuota = (topic: string) => (topic === "noisy" ? { rate: "4/s" as const } : {});
    await using server = await TestServer.listen({
      topicQuota,
      runtime,
      supportsThrottleProducerCommands: supports.server,
    });
    await using tap = await Tap.before(server.endpoint);
    await using client = createSignalClient({
      connect: () => tap.connect(),
      runtime,
      supportsThrottleProducerCommands: supports.client,
    });
    const [noisy, calm] = [await client.createProducer("noisy"), await client.createProducer("calm")];
    const sent = [1, 2, 3, 4, 5, 6].map((n) => noisy.send(`${n}`));
    await until("the connection is not read", 20_000, () => server.connections[0]?.status().paused);
    // The neighbour waits as well: that is what the signal is for.
    const neighbour = calm.send("a");
    await runtime.advance(699);
    expect([server.of("noisy"), server.of("calm")]).toEqual([["1", "2", "3", "4"], []]);
    expect(noisy.isThrottled() || calm.isThrottled()).toBe(false);
    await runtime.advance(1);
    await Promise.all([...sent, neighbour]);
    expect([server.of("noisy"), server.of("calm")]).toEqual([["1", "2", "3", "4", "5", "6"], ["a"]]);
    expect(tap.lines.filter((line) => line.includes("throttle"))).toEqual([]);
    expect(server.signals.metrics()).toMatchObject({ signals: { sent: 0 }, pauses: { times: 1, ms: 700 } });
  });
});
