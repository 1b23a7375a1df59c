import { randomUUID } from "node:crypto";
import { type Certificate, makeCertificate } from "./certificate.ts";
import { startContainer } from "./container.ts";
import { dockerAnswers } from "./docker-engine.ts";
import { enableAuth, etcdCall, leadership, requireHealth } from "./etcd-http.ts";
import { foreignServer } from "./foreign-server.ts";
import { LocalServer } from "./local-server.ts";
import { leasePort, peerPortOffset, withFreshPorts } from "./ports.ts";
import { type Program, requireProgram } from "./program.ts";
import type { RestartOptions, RunningServer } from "./running-server.ts";
import { startAll, stopAll } from "./start-all.ts";
import { until } from "./until.ts";

/** Any option at all asks for an etcd of our own: local processes. Without one, an address or a container will do. */
export interface EtcdOptions {
  /** Local processes, so that `kill`, `pause`, `resume` and `restart` work. */
  readonly control?: boolean;
  /** Default 1. */
  readonly nodes?: 1 | 3;
  /** Turns authentication on, with this password for the user `root`. */
  readonly password?: string;
  /** TLS for clients, with a self-signed certificate per node; `ca` has them all. */
  readonly tls?: boolean;
}

/** An etcd of one or more nodes that has a leader. */
export interface EtcdServer extends AsyncDisposable {
  /** The nodes' client URLs, http://... or https://... */
  readonly endpoints: readonly string[];
  /**
   * In the order of `endpoints`. etcd lets a member that has forgotten everything not back in (it would have forgotten
   * its votes), so one of three restarts with its data only; and nodes of a cluster without a majority get ready only
   * together.
   */
  readonly nodes: readonly RunningServer[];
  /** The certificates to trust, PEM; only with `tls`. */
  readonly ca?: string;
  /** The node that leads; waits for one if there is none at the moment. */
  leader(): Promise<RunningServer>;
  /** Ends all nodes and starts them again, with or without what they stored. */
  restart(options: RestartOptions): Promise<void>;
  stop(): Promise<void>;
}

const program: Program = {
  command: "etcd",
  aptPackage: "etcd-server",
  hint: "Install etcd >= 3.4 (Debian: apt-get install etcd-server, macOS: brew install etcd), or set DT_ETCD_URL for what needs no control over the server.",
};
const settleMs = 30_000;

/**
 * An etcd: the one at `DT_ETCD_URL` (several endpoints with commas), a container, or local processes, in this order;
 * with any option, local processes. The one at `DT_ETCD_URL` is shared: use key prefixes of your own.
 * @throws Error that says what is missing and how to install it
 */
export async function startEtcd(options: EtcdOptions = {}): Promise<EtcdServer> {
  if (Object.keys(options).length === 0) {
    const { DT_ETCD_URL: urls } = process.env;
    if (urls !== undefined && urls !== "") return fromAddress(urls);
    if (await dockerAnswers()) return fromContainer();
  }
  return withFreshPorts(() => fromProgram(options));
}

async function fromAddress(urls: string): Promise<EtcdServer> {
  const endpoints = urls.split(",").map((url) => url.trim());
  try {
    // Reachable is what can be asked without credentials: `/health` fails where authentication guards it.
    await Promise.all(endpoints.map((url) => etcdCall({ url }, "/version")));
  } catch (error) {
    throw new Error(`DT_ETCD_URL=${urls} does not answer: ${(error as Error).message}`, { cause: error });
  }
  const nodes = endpoints.map((url) => {
    const { hostname: host, port } = new URL(url);
    const stop = async () => {};
    return foreignServer({ origin: "environment", host, port: Number(port || 2379), starter: "startEtcd", stop });
  });
  return assemble(endpoints, nodes);
}

async function fromContainer(): Promise<EtcdServer> {
  const { host, port, stop } = await startContainer({
    image: "quay.io/coreos/etcd:v3.5.21",
    imageVariable: "DT_ETCD_IMAGE",
    command: (port) => [
      "etcd",
      `--listen-client-urls=http://0.0.0.0:${port}`,
      `--advertise-client-urls=http://127.0.0.1:${port}`,
    ],
    probe: (host, port) => requireHealth({ url: `http://${host}:${port}` }),
  });
  return assemble(
    [`http://${host}:${port}`],
    [foreignServer({ origin: "docker", host, port, starter: "startEtcd", stop })],
  );
}

async function fromProgram(options: EtcdOptions): Promise<EtcdServer> {
  const { nodes: count = 1, password, tls = false } = options;
  const command = await requireProgram(program);
  const leases = await Promise.all(Array.from({ length: count }, leasePort));
  const peerUrl = (port: number): string => `http://127.0.0.1:${port + peerPortOffset}`;
  const clientUrl = (port: number): string => `${tls ? "https" : "http"}://127.0.0.1:${port}`;
  const members = leases.map(({ port }) => `node-${port}=${peerUrl(port)}`).join(",");
  const token = randomUUID();
  const certificates = new Map<number, Certificate>();

  const start = (lease: (typeof leases)[number]): Promise<LocalServer> =>
    LocalServer.startOn(lease, {
      name: "etcd",
      prepare: async (sandbox, port) => {
        if (tls) certificates.set(port, await makeCertificate(sandbox));
      },
      plan: (sandbox, port) => {
        const certificate = certificates.get(port);
        return {
          command,
          args: [
            `--name=node-${port}`,
            `--data-dir=${sandbox.path("data")}`,
            `--listen-client-urls=${clientUrl(port)}`,
            `--advertise-client-urls=${clientUrl(port)}`,
            `--listen-peer-urls=${peerUrl(port)}`,
            `--initial-advertise-peer-urls=${peerUrl(port)}`,
            `--initial-cluster=${members}`,
            `--initial-cluster-token=${token}`,
            ...(certificate === undefined
              ? []
              : [`--cert-file=${certificate.certFile}`, `--key-file=${certificate.keyFile}`]),
          ],
          probe: () => requireHealth({ url: clientUrl(port), ca: certificate?.ca }),
        };
      },
    });
  const nodes = await startAll(leases.map(start));
  const ca = tls ? [...certificates.values()].map((certificate) => certificate.ca).join("") : undefined;
  const endpoints = leases.map(({ port }) => clientUrl(port));
  const secure = async (): Promise<void> => {
    if (password !== undefined) await enableAuth({ url: endpoints[0] as string, ca }, password);
  };
  try {
    await secure();
  } catch (error) {
    await stopAll(nodes);
    throw error;
  }
  const restartAll = async ({ keepData }: RestartOptions): Promise<void> => {
    // All at once, so that no node comes back to one that is leaving. etcd syncs its log: nothing acknowledged is lost.
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all(nodes.map((node) => node.restart({ keepData })));
    if (!keepData) await secure();
  };
  return assemble(endpoints, nodes, ca, restartAll);
}

function assemble(
  endpoints: readonly string[],
  nodes: readonly RunningServer[],
  ca?: string,
  restart = async (options: RestartOptions): Promise<void> => nodes[0]?.restart(options),
): EtcdServer {
  const stop = (): Promise<void> => stopAll(nodes);
  const leader = (): Promise<RunningServer> =>
    until("a node of the etcd says that it leads", settleMs, async () => {
      const asked = endpoints.map((url) => leadership({ url, ca }));
      // A node cut off for a while may believe in its old term: the highest term is the true one.
      let found: { node: RunningServer | undefined; term: bigint } = { node: undefined, term: -1n };
      for (const [index, answer] of (await Promise.allSettled(asked)).entries()) {
        if (answer.status !== "fulfilled" || answer.value.term < found.term) continue;
        if (answer.value.leads || answer.value.term > found.term) {
          found = { node: answer.value.leads ? nodes[index] : undefined, term: answer.value.term };
        }
      }
      return found.node;
    });
  const server = { endpoints, nodes, leader, restart, stop, [Symbol.asyncDispose]: stop };
  return ca === undefined ? server : { ...server, ca };
}
