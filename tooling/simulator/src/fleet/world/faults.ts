import type { Fault } from "../plan/plan.ts";
import type { SimTable } from "./sim-table.ts";
import type { World } from "./world.ts";

/** Puts a plan's faults on the world's timeline. A fault whose victim is not there does nothing. */
export function scheduleFaults(world: World): void {
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
      applyFault(world, fault, () => standby);
    });
  }
}

/** Lets a fault happen now; `standby` is what a failover goes back to. */
export function applyFault(world: World, fault: Fault, standby: () => SimTable | undefined = () => undefined): void {
  const { timeline, store } = world;
  switch (fault.kind) {
    case "join":
      if (!world.running(fault.member)) world.boot(fault.member, fault.caller);
      return;
    case "replace":
      world.boot(fault.member, fault.caller);
      return;
    case "stop":
    case "crash":
    case "pause":
    case "suspend": {
      const process = world.running(fault.member);
      if (!process) return;
      if (fault.kind === "pause") process.pause(fault.forMs);
      else if (fault.kind === "suspend") world.suspend(process, fault.forMs);
      else if (fault.kind === "stop") world.stop(process);
      else crash(world, fault.member, fault.restartAfterMs);
      return;
    }
    case "cut":
    case "slow":
    case "lopsided":
    case "lossy":
      disturb(world, fault);
      return;
    case "store-down":
    case "store-lost":
      store.become(fault.how);
      if (fault.kind === "store-lost") store.loseData();
      timeline.after(fault.forMs, () => store.become("up"));
      return;
    case "store-pause":
      store.become("paused");
      timeline.after(fault.forMs, () => store.become("up"));
      return;
    case "store-clock":
      store.setClock(fault.byMs);
      return;
    case "failover":
      store.become("silent");
      timeline.after(fault.forMs, () => {
        const table = standby();
        if (table) store.restore(table);
        if (fault.clockByMs !== 0) store.setClock(fault.clockByMs);
        store.become("up");
      });
      return;
    case "set-max":
      setMax(world, fault.max, fault.spreadMs);
  }
}

function crash(world: World, name: string, restartAfterMs: number | null): void {
  const slot = world.slots.get(name);
  const process = world.running(name);
  if (!slot || !process) return;
  world.crash(process);
  if (restartAfterMs !== null)
    world.timeline.after(restartAfterMs, () => {
      if (!world.running(name) && !world.calm) world.boot(name, slot.caller);
    });
}

function disturb(world: World, fault: Fault & { readonly kind: "cut" | "slow" | "lopsided" | "lossy" }): void {
  const link = world.link(fault.member);
  if (fault.kind === "cut") link.cut = fault.how;
  else if (fault.kind === "slow") link.extraDelayMs = fault.delayMs;
  else if (fault.kind === "lopsided") link.requestDelayMs = fault.delayMs;
  else {
    link.lost = fault.lost;
    link.twice = fault.twice;
    link.late = fault.late;
  }
  world.timeline.after(fault.forMs, () => link.heal());
}

/** A rolling change of configuration: every host at its own instant, running or not. */
function setMax(world: World, max: number, spreadMs: number): void {
  world.max = max;
  const names = [...world.slots.keys()];
  names.forEach((name, index) => {
    world.timeline.after((spreadMs * index) / names.length, () => {
      const process = world.running(name);
      // A later change has overtaken this one.
      if (process && world.max === max) process.deliver("timer", () => process.throttle.update(world.limit(max)));
    });
  });
}
