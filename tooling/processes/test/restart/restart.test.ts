import { SourceProcess } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";
import { stores } from "../../src/permit-faults/stores/index.ts";

const WORKER = new URL("../../src/restart/worker.ts", import.meta.url);

/** Far more than a start and an epoch take, and less than the minute after which a silent member is removed. */
const WITHIN_MS = 40_000;

// One after the other: each has a server.
it.runIf(process.platform === "linux").each(stores.map((store) => [store.name, store] as const))(
  "%s: a program that was killed with the whole limit in hand has its successor wait for an epoch, and not for a minute",
  { timeout: 120_000 },
  async (_name, store) => {
    const { module, factory, options, stop } = await store.start();
    const start = (): SourceProcess => new SourceProcess(WORKER, [JSON.stringify({ module, factory, options })]);
    const running: SourceProcess[] = [];
    try {
      const first = start();
      running.push(first);
      await first.said("has all");
      await first.kill();
      const second = start();
      running.push(second);
      expect(await second.said("took", WITHIN_MS)).toBe("over 6");
      await second.said("has", WITHIN_MS);
    } finally {
      await Promise.all(running.map((process) => process.kill()));
      await stop();
    }
  },
);
