import type { SimTable } from "../../fleet/world/sim-table.ts";
import type { Fault } from "./plan.ts";
import type { SlotWorld } from "./world.ts";

/** Puts a plan's faults on the world's timeline. A fault whose victim is not there does nothing. */
export function scheduleFaults(world: SlotWorld): void {
  const { timeline, plan } = world;
  for (const fault of plan.faults) {
    let standby: SimTable | undefined;
    // What the standby has is what the primary had `lostMs` before it failed.
    if (fault.kind === "failover")
      timeline.at(fault.atMs - fault.lostMs, () => {
        standby = world.store.table.clone();
      });
    timeline.at(fault.atMs, () => {
      world.note(`fault ${JSON.stringify(fault)}`);
      happen(world, fault, standby);
    });
  }
}

function happen(world: SlotWorld, fault: Fault, standby: SimTable | undefined): void {
  const { timeline, store } = world;
  const process = "host" in fault ? world.running(fault.host) : undefined;
  switch (fault.kind) {
    case "join":
      world.boot(fault.host);
      return;
    case "crash":
      if (!process) return;
      process.crash();
      if (fault.restartAfterMs !== null) timeline.after(fault.restartAfterMs, () => world.boot(fault.host));
      return;
    case "pause":
      process?.pause(fault.forMs);
      return;
    case "cut": {
      const link = world.linkOf(fault.host);
      if (!link) return;
      link.cut = fault.how;
      timeline.after(fault.forMs, () => {
        link.cut = undefined;
      });
      return;
    }
    case "drain":
      if (!process || process.frozen) return;
      process.isDraining = true;
      void process.semaphore.drain({ timeout: "1h" });
      return;
    case "outage":
      store.become(fault.how);
      timeline.after(fault.forMs, () => store.become("up"));
      return;
    case "loss":
      world.inFlight.dataLost(store.table, store.learning);
      store.loseData();
      return;
    case "failover":
      if (standby) store.restore(standby);
      store.become("silent");
      timeline.after(fault.forMs, () => store.become("up"));
      return;
    case "clock":
      store.setClock(fault.byMs);
      return;
    case "max":
      world.max = fault.max;
      for (const other of world.processes) changeLater(world, other, fault);
  }
}

/** Each process learns of a new max when it likes: at an instant of its own, which does not depend on other faults. */
function changeLater(world: SlotWorld, process: SlotWorld["processes"][number], fault: Fault & { kind: "max" }): void {
  const part = ((process.name.charCodeAt(1) * 0.37) % 1) * fault.spreadMs;
  world.timeline.after(part, () =>
    process.deliver("timer", () => {
      process.max = fault.max;
      process.semaphore.update({ max: fault.max });
    }),
  );
}
