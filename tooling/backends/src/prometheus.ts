import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LocalServer } from "./local-server.ts";
import { type Program, requireProgram } from "./program.ts";
import { type Alert, activeAlerts, instantQuery, prometheusCall, type Sample } from "./prometheus-http.ts";
import type { RunningServer } from "./running-server.ts";

/** What a Prometheus is started with. */
export interface PrometheusOptions {
  /** The text of its `prometheus.yml`. Rule files in it are named relative to it. */
  readonly config: string;
  /**
   * Further files beside it, such as rules: text by name.
   * @default {}
   */
  readonly files?: Readonly<Record<string, string>>;
}

/** A Prometheus that answers queries. */
export interface PrometheusServer extends RunningServer {
  /** http://127.0.0.1:... */
  readonly url: string;
  /**
   * Evaluates a query at this instant.
   * @throws Error with what Prometheus reports, where the query cannot be read
   */
  query(promql: string): Promise<Sample[]>;
  /** The alerts that are pending or fire. */
  alerts(): Promise<Alert[]>;
  /**
   * Takes another configuration, without a restart.
   * @throws Error with what Prometheus reports, where it refuses the configuration; the one before stays in force
   */
  reload(options: PrometheusOptions): Promise<void>;
}

const program: Program = {
  command: "prometheus",
  aptPackage: "prometheus",
  hint: "Install Prometheus >= 2.42 (Debian: apt-get install prometheus, macOS: brew install prometheus).",
};

/**
 * A Prometheus of our own, a local process: its configuration is the test's.
 *
 * @example
 * await using prometheus = await startPrometheus({ config: "global: { scrape_interval: 1s }" });
 * await prometheus.query("vector(1)"); // [{ labels: {}, value: 1 }]
 * @throws Error that says what is missing and how to install it; with the end of its log, where it does not start
 */
export async function startPrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  const command = await requireProgram(program);
  const server = await LocalServer.start({
    name: "prometheus",
    prepare: (sandbox) => writeConfig(sandbox.folder, options),
    plan: (sandbox, port) => ({
      command,
      args: [
        `--config.file=${sandbox.path("prometheus.yml")}`,
        `--storage.tsdb.path=${sandbox.path("data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
        "--web.enable-lifecycle",
        "--log.level=warn",
      ],
      probe: () => prometheusCall(`http://127.0.0.1:${port}`, "/-/ready", undefined, 2_000),
    }),
  });
  const url = `http://127.0.0.1:${server.port}`;
  return Object.assign(server, {
    url,
    query: (promql: string) => instantQuery(url, promql),
    alerts: () => activeAlerts(url),
    reload: async (next: PrometheusOptions) => {
      await writeConfig(server.folder, next);
      await prometheusCall(url, "/-/reload", "");
    },
  });
}

async function writeConfig(folder: string, { config, files = {} }: PrometheusOptions): Promise<void> {
  for (const [name, text] of Object.entries({ ...files, "prometheus.yml": config })) {
    const path = join(folder, name);
    if (dirname(path) !== folder) throw new Error(`${name} is not the name of a file beside prometheus.yml`);
    await writeFile(path, text);
  }
}
