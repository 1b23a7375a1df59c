import { type CoordinationStore, createThrottle } from "@dt/core";
import { altered } from "../altered.ts";
import { Timeline } from "../fleet/engine/timeline.ts";
import { Random } from "../random.ts";
import type { ServerModel } from "./fleet.ts";
import { Host } from "./host.ts";
import { Network } from "./network.ts";

/** A fleet that shares a limit of ten tokens a second for each of its processes, in virtual time. */
export interface SharingFleet {
  readonly members: number;
  readonly shares: "even" | "demand";
  /**
   * `turns`: each asks for twice its even part for 10 s, and then for nothing for as long, and begins at a time of its
   * own. `chance`: each asks for half of its even part, by chance. `steady`: each asks for twice its even part.
   */
  readonly load: "turns" | "chance" | "steady";
  /** One way, at most; half of it on average. */
  readonly latencyMs: number;
  /** True to take a change of the ledger for one that costs little: nobody is calm then. Default false. */
  readonly restless?: boolean;
}

/** What became of it, in forty seconds. */
export interface SharingResult {
  /** Tokens granted, as a part of the limit. */
  readonly granted: number;
  /** Ledgers written each second. */
  readonly changesPerSecond: number;
  /** Requests each second, of all. */
  readonly requestsPerSecond: number;
  /** The most tokens that all had together in one epoch, as a part of the limit. */
  readonly most: number;
}

const TOKENS_EACH = 10;
const TURN_MS = 10_000;
const SETTLE_MS = 25_000;
const LOOK_MS = 40_000;
/** Between two that join. */
const JOIN_MS = 60;

/**
 * Lets real throttles share, and counts.
 * @param changes how often the ledger was written so far
 */
export async function shareFleet<Server extends ServerModel>(
  fleet: SharingFleet,
  model: (timeline: Timeline, random: Random) => Server,
  changes: (server: Server) => number,
): Promise<SharingResult> {
  const { members, shares, latencyMs } = fleet;
  const timeline = new Timeline();
  const server = model(timeline, new Random(1, "server"));
  const max = TOKENS_EACH * members;
  const perEpoch = new Map<number, number>();
  let [granted, requests] = [0, 0];
  for (let place = 0; place < members; place++)
    timeline.after(place * JOIN_MS, () => {
      const host = new Host(`p${place}#1`, timeline, new Random(place, "host"), 0.0001);
      const network = new Network(timeline, new Random(place, "network"), host, latencyMs);
      const call = network.call.bind(network);
      network.call = (request, timeoutMs) => {
        requests += 1;
        return call(request, timeoutMs);
      };
      const store = fleet.restless ? restless(server.connect(host, network)) : server.connect(host, network);
      const paces = { interval: 1_000, staleAfter: 60_000, clockError: 250 };
      const throttle = createThrottle({ name: "g", max, store, runtime: host, shares, ...paces });
      throttle.on("grant", ({ epoch, tokens }) => {
        granted += tokens;
        perEpoch.set(epoch, (perEpoch.get(epoch) ?? 0) + tokens);
      });
      const offsetMs = (2 * TURN_MS * place) / members;
      const ask = (): void => {
        const isOn = fleet.load !== "turns" || Math.floor((timeline.nowMs + offsetMs) / TURN_MS) % 2 === 0;
        if (isOn) throttle.acquire(1, { timeout: 2_000 }).catch(() => undefined);
        const meanMs = 1_000 / (fleet.load === "chance" ? TOKENS_EACH / 2 : 2 * TOKENS_EACH);
        host.setTimer(ask, fleet.load === "chance" ? -Math.log(1 - host.random()) * meanMs : meanMs);
      };
      throttle.start().then(ask);
    });
  await timeline.run(members * JOIN_MS + SETTLE_MS);
  const before = { granted, requests, changes: changes(server) };
  await timeline.run(timeline.nowMs + LOOK_MS);
  const seconds = LOOK_MS / 1_000;
  return {
    granted: (granted - before.granted) / seconds / max,
    changesPerSecond: (changes(server) - before.changes) / seconds,
    requestsPerSecond: (requests - before.requests) / seconds,
    most: Math.max(...perEpoch.values()) / max,
  };
}

function restless(store: CoordinationStore): CoordinationStore {
  const { demandMembers: _, ...capabilities } = store.capabilities;
  return altered(store, { capabilities });
}
