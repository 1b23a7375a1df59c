import { readFileSync } from "node:fs";
import {
  type Alert,
  FaultProxy,
  type PrometheusServer,
  type RedisServer,
  startPrometheus,
  startRedis,
  until,
} from "@dt-tooling/backends";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { Redis } from "ioredis";
import { Callee } from "./callee.ts";
import { Machine } from "./machine.ts";
import { sooner } from "./sooner.ts";

const source = new URL("../../src/worker.ts", import.meta.url);
const rulesOf = (name: string): string =>
  sooner(readFileSync(new URL(`../../prometheus/${name}`, import.meta.url), "utf8"), TIMES_SOONER);

/** All times of the rules are a part of those in the file: 5 minutes are 15 seconds. */
const TIMES_SOONER = 20;

const WORKERS = 3;

/** What was before is still within the rules' windows of 5 minutes. */
const WINDOW_MS = 300_000 / TIMES_SOONER;

/** Against hangs: what takes seconds on an idle machine. */
const SOON_MS = 60_000;

/** What fires where processes wait for a processor, and operations of the store with them. */
const OF_A_BUSY_MACHINE = ["DtStoreSlow", "DtStoreFailing"];

/** Three workers on a Redis, behind a proxy that can be slow, and a Prometheus that scrapes them every second. */
export class Fleet {
  readonly workers: readonly SourceProcess[];
  readonly callee: Callee;
  /** Stands between the workers' store and the Redis; the list of jobs does not go through it. */
  readonly proxy: FaultProxy;
  readonly redis: RedisServer;
  readonly prometheus: PrometheusServer;
  readonly #jobs: Redis;
  readonly #feeding: NodeJS.Timeout;
  readonly #machine: Machine;

  private constructor(parts: Pick<Fleet, "workers" | "callee" | "proxy" | "redis" | "prometheus">) {
    this.workers = parts.workers;
    this.callee = parts.callee;
    this.proxy = parts.proxy;
    this.redis = parts.redis;
    this.prometheus = parts.prometheus;
    this.#jobs = new Redis(parts.redis.url);
    this.#machine = new Machine(this.#jobs);
    // 15 jobs a second: half of the limit.
    this.#feeding = setInterval(() => void this.addJobs(3), 200);
  }

  /** Resolves when each worker is scraped, and knows of all. */
  static async start(): Promise<Fleet> {
    await using started = new AsyncDisposableStack();
    const redis = started.use(await startRedis({ control: true }));
    const proxy = started.adopt(await FaultProxy.listen(redis), (one) => one.close());
    const callee = started.adopt(new Callee(), (one) => one.stop());
    await callee.start();
    const args = [`redis://127.0.0.1:${proxy.port}`, callee.url, "0", redis.url];
    const workers = Array.from({ length: WORKERS }, () =>
      started.adopt(new SourceProcess(source, args), (worker) => worker.kill()),
    );
    const addresses = await Promise.all(workers.map((worker) => worker.said("metrics")));
    const targets = addresses.map((address) => new URL(address).host);
    const config = `
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [rules.yml, scaling.yml]
scrape_configs: [{ job_name: fleet, static_configs: [{ targets: ${JSON.stringify(targets)} }] }]
`;
    const files = { "rules.yml": rulesOf("rules.yml"), "scaling.yml": rulesOf("scaling.yml") };
    const prometheus = started.use(await startPrometheus({ config, files }));
    const fleet = new Fleet({ workers, callee, proxy, redis, prometheus });
    await fleet.until(`min(dt_members{dt_kind="throttle"}) == ${WORKERS} and count(dt_members) == ${WORKERS}`);
    started.move();
    return fleet;
  }

  /** Adds so many jobs, each of which costs a token of the budget. */
  async addJobs(count: number): Promise<void> {
    await this.#jobs.rpush("jobs", ...Array<string>(count).fill("1"));
  }

  /** Jobs that wait are forgotten. */
  async forgetJobs(): Promise<void> {
    await this.#jobs.del("jobs");
  }

  /** The only value of a query. */
  async value(promql: string): Promise<number> {
    const samples = await this.prometheus.query(promql);
    if (samples.length !== 1) throw new Error(`${promql} has ${samples.length} values`);
    return samples[0]?.value as number;
  }

  /** Waits until a query has a result. */
  async until(promql: string): Promise<void> {
    await until(`${promql} has a result`, SOON_MS, async () => (await this.prometheus.query(promql)).length > 0);
  }

  /** Waits until no alert fires, and returns what reads the alerts that have fired since. */
  async calm(): Promise<Since> {
    await until("no alert fires", SOON_MS, async () => {
      const names = (await this.#firing()).map(({ name }) => name);
      return this.#ofTheFleet(names, Date.now()).length === 0;
    });
    const fromMs = Date.now();
    return {
      fired: async () => {
        // Whole seconds, so that nothing of before is within them.
        const seconds = Math.floor((Date.now() - fromMs) / 1_000);
        if (seconds === 0) return [];
        const counted = `count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[${seconds}s]))`;
        const names = (await this.prometheus.query(counted)).map(({ labels }) => labels["alertname"] as string);
        return this.#ofTheFleet(names, fromMs).sort();
      },
    };
  }

  /** Waits until so many scrapes of each worker have been evaluated. */
  async scrapes(count: number): Promise<void> {
    const before = await this.value("min(count_over_time(up[1h]))");
    await this.until(`min(count_over_time(up[1h])) >= ${before + count}`);
  }

  /** Waits until an alert fires, and returns it. */
  fires(name: string): Promise<Alert> {
    return until(`${name} fires`, SOON_MS, async () => (await this.#firing()).find((alert) => alert.name === name));
  }

  /** Without what is right to fire where the Redis was slow for this process, too. */
  #ofTheFleet(names: readonly string[], sinceMs: number): string[] {
    const isMachineSlow = this.#machine.slowAtMs > sinceMs - WINDOW_MS;
    return names.filter((name) => !(isMachineSlow && OF_A_BUSY_MACHINE.includes(name)));
  }

  async #firing(): Promise<Alert[]> {
    return (await this.prometheus.alerts()).filter(({ state }) => state === "firing");
  }

  async stop(): Promise<void> {
    clearInterval(this.#feeding);
    this.#machine.stop();
    this.#jobs.disconnect();
    await Promise.all(this.workers.map((worker) => worker.kill()));
    await Promise.all([this.prometheus.stop(), this.callee.stop(), this.proxy.close()]);
    await this.redis.stop();
  }
}

/** What has happened since a moment at which no alert fired. */
export interface Since {
  /** The names of the alerts that have fired, each once. */
  fired(): Promise<string[]>;
}
