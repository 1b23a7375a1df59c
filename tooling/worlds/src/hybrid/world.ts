import { type CoordinationStore, createThrottle, isDtError, type Throttle, type View } from "@dt/core";
import { Random } from "../random.ts";
import { Timeline } from "../sim/engine/timeline.ts";
import { Book } from "./book.ts";
import { Host } from "./host.ts";
import { Network } from "./network.ts";
import type { Settings } from "./settings.ts";

/** The model of a server, and how a process reaches it. */
export interface ServerModel {
  /** A store as a process uses it. */
  connect(host: Host, network: Network): CoordinationStore;
  /** Does something of its own that goes wrong with such servers, for a while. */
  disturb(random: Random): void;
  /** Undoes that. */
  heal(): void;
}

/** How a run ended. */
export interface RunResult {
  readonly book: Book;
  /** Granted tokens as a part of what could have been granted by one undisturbed processor. */
  readonly utilisation: number;
}

interface Process {
  readonly host: Host;
  readonly network: Network;
  readonly throttle: Throttle;
  readonly demands: boolean;
  /** Tokens that it asks for about fifty times a second; and how long it does so and then does not, by turns. */
  readonly asksMost: number;
  readonly restsMs: number;
  stopping: boolean;
}

/**
 * Lets processes come, go, pause, crash and lose messages for a while, then heals everything, and checks every grant.
 */
export async function runWorld(
  seed: number,
  settings: Settings,
  model: (timeline: Timeline, random: Random) => ServerModel,
): Promise<RunResult> {
  const timeline = new Timeline();
  const random = new Random(seed, "world");
  const server = model(timeline, new Random(seed, "server"));
  const book = new Book(settings.max);
  const processes: Process[] = [];
  let boots = 0;

  const boot = (id: string): void => {
    boots += 1;
    const name = `${id}#${boots}`;
    const host = new Host(name, timeline, new Random(seed, `host ${name}`), settings.drift);
    const network = new Network(timeline, new Random(seed, `network ${name}`), host, settings.latencyMs);
    const store = watched(
      server.connect(host, network),
      (view) => {
        if (!host.isGone) book.answered(name, view.storeTimeMs, timeline.nowMs);
      },
      (error) => {
        if (isDtError(error, "DT_INVALID_OPTION"))
          book.violations.push({ atMs: timeline.nowMs, detail: `${name} is refused: ${error.message}` });
      },
    );
    const demands = settings.shares === "demand" && store.capabilities.demand === true;
    // Only where they share by demand: what they ask for changes, each in its own time.
    const asksMost = demands && random.chance(0.7) ? random.integer(1, 40) : settings.takesMost;
    const restsMs = demands && random.chance(0.5) ? random.between(1_000, 9_000) : 0;
    const throttle = createThrottle({
      group: "g",
      processorId: id,
      max: settings.max,
      store,
      runtime: host,
      interval: settings.intervalMs,
      staleAfter: settings.staleAfterMs,
      validity: settings.validityMs,
      syncInterval: settings.syncIntervalMs,
      storeTimeout: settings.storeTimeoutMs,
      clockError: settings.clockErrorMs,
      ...(demands && { shares: "demand" }),
    });
    const process: Process = { host, network, throttle, demands, asksMost, restsMs, stopping: false };
    processes.push(process);
    throttle.on("grant", ({ epoch, tokens }) => book.grant(name, epoch, tokens, timeline.nowMs));
    start(process);
  };
  const start = (process: Process): void => {
    const { throttle, host, asksMost, restsMs } = process;
    const take = (): void => {
      if (throttle.status().state !== "running") return;
      const rests = restsMs > 0 && Math.floor(host.now() / restsMs) % 2 === 1;
      if (!rests) throttle.tryAcquire(asksMost);
      host.setTimer(take, host.random() * 40);
    };
    throttle.start().then(take, () => host.setTimer(() => start(process), 500));
  };
  const live = (): readonly Process[] => processes.filter(({ host, stopping }) => !host.isGone && !stopping);
  const spare = (): string => `p${Math.floor(random.between(0, settings.members))}`;

  const fault = (): void => {
    const all = live();
    const one = all[Math.floor(random.next() * all.length)];
    const kind = random.next();
    const forMs = random.chance(0.5) ? random.between(50, 3_000) : random.between(3_000, 2 * settings.staleAfterMs);
    if (!one || kind < 0.22) {
      const id = spare();
      if (!all.some(({ host }) => host.name.startsWith(`${id}#`))) boot(id);
    } else if (kind < 0.32) {
      one.stopping = true;
      one.host.deliver(() => void one.throttle.stop());
    } else if (kind < 0.42) one.host.crash();
    else if (kind < 0.6) one.host.pause(forMs);
    else if (kind < 0.72) {
      one.network.weather.cut = true;
      timeline.after(forMs, () => {
        one.network.weather.cut = false;
      });
    } else if (kind < 0.86) {
      one.network.weather.lost = random.between(0, 0.3);
      one.network.weather.late = random.between(0, 0.3);
      timeline.after(forMs, () => Object.assign(one.network.weather, { lost: 0, late: 0 }));
    } else server.disturb(random);
  };

  /** The one that is there loses the server for good; another one comes before the first is forgotten. */
  const succeed = (): void => {
    for (const { network, host } of live()) {
      network.weather.cut = true;
      timeline.after(2 * settings.staleAfterMs, () => host.crash());
    }
    timeline.after(random.between(0, settings.staleAfterMs), () => boot(`p${boots}`));
  };

  if (settings.profile === "calm") {
    for (let i = 0; i < settings.members; i++)
      timeline.after(random.between(0, settings.churnMs / 2), () => boot(`p${i}`));
  } else if (settings.profile === "abuse") {
    for (let i = 0; i < settings.members; i++) timeline.after(random.between(0, 3_000), () => boot(`p${i}`));
    for (let atMs = 4_000; atMs < settings.churnMs; atMs += random.between(0, 2 * settings.faultEveryMs))
      timeline.after(atMs, fault);
  } else {
    boot("p0");
    for (let atMs = 4_000; atMs < settings.churnMs; atMs += settings.staleAfterMs * random.between(2, 4))
      timeline.after(atMs, succeed);
  }
  await timeline.run(settings.churnMs);
  server.heal();
  for (const { network } of processes) Object.assign(network.weather, { cut: false, lost: 0, late: 0 });
  if (live().length === 0) boot("p0");
  await timeline.run(settings.churnMs + settings.calmMs);
  // Nobody agrees beside one that shares by demand (R25).
  const shouldAgree = !live().some(({ demands }) => demands);
  for (const { host, throttle } of live()) {
    const { agreed, poolSize, state, lastError } = throttle.status();
    if (agreed === shouldAgree && poolSize === live().length) continue;
    const why = lastError ? `: ${lastError.message}` : "";
    const detail = `${host.name} (${state}) does not agree with ${live().length} members but with ${poolSize} (agreed: ${agreed})${why}`;
    book.violations.push({ atMs: timeline.nowMs, detail });
  }
  const possible = (settings.max * (settings.churnMs + settings.calmMs)) / settings.intervalMs;
  return { book, utilisation: book.granted / possible };
}

/** A store that tells of every answer and every error. */
function watched(
  store: CoordinationStore,
  onView: (view: View) => void,
  onError: (error: unknown) => void,
): CoordinationStore {
  const told = async <T extends View | undefined>(call: () => Promise<T>): Promise<T> => {
    try {
      const view = await call();
      if (view) onView(view);
      return view;
    } catch (error) {
      onError(error);
      throw error;
    }
  };
  return {
    capabilities: store.capabilities,
    register: (group, registration, signal) => told(() => store.register(group, registration, signal)),
    sync: (group, member, report, signal) => told(() => store.sync(group, member, report, signal)),
    deregister: async (group, member, farewell, signal) => {
      await told(async () => void (await store.deregister(group, member, farewell, signal)));
    },
    inspect: (group, signal) => store.inspect(group, signal),
    ...(store.watch && { watch: store.watch.bind(store) }),
    close: () => store.close(),
  };
}
