import { leasePort } from "./ports.ts";
import { until } from "./until.ts";

/** A server program in a container. */
export interface ContainerPlan {
  /** Image, unless the variable `imageVariable` names another. */
  readonly image: string;
  readonly imageVariable: string;
  readonly command?: (port: number) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly probe: (host: string, port: number) => Promise<unknown>;
}

/** A started container: the port is the same inside and outside. */
export interface Container {
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
}

const readyWithinMs = 60_000;

/**
 * Starts a container through testcontainers, whose reaper removes it when we die. `DT_DOCKER_NETWORK=host` puts it on
 * the host's network, for an engine without a bridge.
 */
export async function startContainer(plan: ContainerPlan): Promise<Container> {
  const { GenericContainer, Wait } = await import("testcontainers");
  const lease = await leasePort();
  const { port } = lease;
  const { [plan.imageVariable]: otherImage, DT_DOCKER_NETWORK: network } = process.env;
  const image = otherImage || plan.image;
  const onHostNetwork = network === "host";
  try {
    // Its own wait looks for open ports with programs inside the image; the probe below asks for answers instead.
    const base = new GenericContainer(image).withEnvironment({ ...plan.env }).withWaitStrategy(Wait.forAll([]));
    const commanded = plan.command === undefined ? base : base.withCommand([...plan.command(port)]);
    const wired = onHostNetwork
      ? commanded.withNetworkMode("host")
      : commanded.withExposedPorts({ container: port, host: port });
    const container = await wired.start();
    const host = container.getHost();
    const stop = async (): Promise<void> => {
      await container.stop({ timeout: 1_000 });
      await lease.release();
    };
    try {
      await until(`the container of ${image} answers`, readyWithinMs, () => plan.probe(host, port).then(() => true));
    } catch (error) {
      await stop();
      throw error;
    }
    return { host, port, stop };
  } catch (error) {
    await lease.release();
    const remedy = `Name an image you have in ${plan.imageVariable}, or set DOCKER_HOST=unix:///none for a local program.`;
    throw new Error(`no container of ${image}: ${(error as Error).message}. ${remedy}`, { cause: error });
  }
}
