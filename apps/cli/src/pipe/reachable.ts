import { once } from "node:events";
import { connect } from "node:net";
import { UsageError } from "../exit-code.ts";

/**
 * Makes sure that somebody listens where the records are sent to: with a slip in the address a million of them would
 * end as errors.
 * @throws UsageError
 */
export async function checkReachable({ protocol, hostname, port, host }: URL, timeoutMs: number): Promise<void> {
  const standard = protocol === "https:" ? 443 : 80;
  // A URL has brackets around IPv6 addresses, a socket does not.
  const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? standard : Number(port) });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    const { name, message } = error as Error;
    const why =
      name === "AbortError" ? `no connection within ${timeoutMs} ms` : message || (error as { code?: string }).code;
    throw new UsageError(`${host} cannot be reached, nothing was sent: ${why}`);
  } finally {
    socket.destroy();
  }
}
