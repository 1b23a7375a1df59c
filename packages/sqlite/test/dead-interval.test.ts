import { isDtError } from "@dt/core";
import { newcomer } from "@dt-tooling/simulator/requests";
import { expect, it } from "vitest";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

it("the dead member of a fleet that was killed does not keep another interval out for ever", async () => {
  const store = sandbox.store(sandbox.path());
  await store.register("payments", newcomer({ intervalMs: 1_000, staleAfterMs: 400 }));
  // Only refused registrations come now, and time has to pass by them.
  const other = newcomer({ intervalMs: 500 });
  let seq = 1;
  const join = () =>
    store.register("payments", { ...other, seq: seq++ }).then(
      () => "joined",
      (error: unknown) => {
        if (isDtError(error, "DT_INTERVAL_MISMATCH")) return "refused";
        throw error;
      },
    );
  expect(await join()).toBe("refused");
  await expect.poll(join).toBe("joined");
  expect(await store.inspect("payments")).toMatchObject({ intervalMs: 500, memberCount: 1 });
});
