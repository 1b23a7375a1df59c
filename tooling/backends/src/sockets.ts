import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * Counts, until the test ends, the open sockets that this process has made to a port from now on. Test files share
 * processes: the sockets that other files have left are not counted.
 */
export function socketsTo(port: number): () => number {
  const made: Socket[] = [];
  const note = (message: unknown): void => {
    made.push((message as { readonly socket: Socket }).socket);
  };
  subscribe("net.client.socket", note);
  onTestFinished(() => {
    unsubscribe("net.client.socket", note);
  });
  return () => made.filter((socket) => !socket.destroyed && socket.remotePort === port).length;
}
