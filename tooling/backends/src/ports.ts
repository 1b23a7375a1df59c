import { createServer, type Server } from "node:net";

/** A port on 127.0.0.1 that no other process using this module will pick until it is released. */
export interface PortLease {
  readonly port: number;
  release(): Promise<void>;
}

// Below the kernel's range for outgoing connections (32768 and up), so that no client socket can take the port of a
// server that is down for a moment; with room for the peer port above.
const firstPort = 11_000;
const lastPort = 20_999;

/**
 * A leased port plus this is free too: the port by which the nodes of a cluster talk to each other (Redis insists on
 * this one).
 */
export const peerPortOffset = 10_000;

const attempts = 200;

function listen(target: { host: string; port: number } | { path: string }): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(undefined);
      else reject(error);
    });
    server.listen({ ...target, exclusive: true }, () => resolve(server));
  });
}

const close = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));

async function isFree(port: number): Promise<boolean> {
  const server = await listen({ host: "127.0.0.1", port });
  if (server === undefined) return false;
  await close(server);
  return true;
}

/**
 * Leases a free port. Parallel test workers never get the same one: on Linux a lease is an abstract unix socket, which
 * the kernel grants once and takes back when its owner dies. Elsewhere the bind check and a retry at start have to do.
 */
export async function leasePort(): Promise<PortLease> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = firstPort + Math.floor(Math.random() * (lastPort - firstPort + 1));
    const claim = process.platform === "linux" ? await listen({ path: `\0dt-backends-port-${port}` }) : null;
    if (claim === undefined) continue;
    if ((await isFree(port)) && (await isFree(port + peerPortOffset))) {
      claim?.unref();
      return {
        port,
        release: async () => {
          if (claim?.listening === true) await close(claim);
        },
      };
    }
    if (claim !== null) await close(claim);
  }
  throw new Error(`no free port between ${firstPort} and ${lastPort} in ${attempts} attempts`);
}

/** A server ended before it answered, because another process has its port. */
export class PortTakenError extends Error {}

const startAttempts = 5;

/**
 * Starts again, which leases other ports, when somebody outside this module took one between our look and the server's
 * own bind.
 */
export async function withFreshPorts<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt === startAttempts) throw error;
    }
  }
}
