import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/**
 * An etcd endpoint, reached through the JSON gateway that every etcd >= 3.4 has, so that no client library is needed.
 */
export interface EtcdEndpoint {
  readonly url: string;
  /** PEM text to trust. */
  readonly ca?: string | undefined;
}

/**
 * Posts JSON (or gets, without a body) and returns the JSON answer; rejects for any status but 200, and after
 * `withinMs`.
 */
export function etcdCall(
  endpoint: EtcdEndpoint,
  path: string,
  body?: object,
  withinMs = 10_000,
): Promise<Record<string, unknown>> {
  const url = new URL(path, endpoint.url);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const deadline = AbortSignal.timeout(withinMs);
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(deadline.aborted ? new Error(`etcd ${path}: no answer within ${withinMs} ms`, { cause: error }) : error);
    const request = send(url, {
      method: body === undefined ? "GET" : "POST",
      signal: deadline,
      agent: false,
      ...(endpoint.ca === undefined ? {} : { ca: endpoint.ca }),
    });
    request.on("error", fail);
    request.on("response", (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", fail);
      response.on("end", () => {
        if (response.statusCode !== 200) reject(new Error(`etcd ${path}: ${response.statusCode} ${text}`));
        else resolve(JSON.parse(text) as Record<string, unknown>);
      });
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Rejects unless the node has a leader and can commit. */
export async function requireHealth(endpoint: EtcdEndpoint): Promise<void> {
  const { health } = await etcdCall(endpoint, "/health");
  if (health !== "true") throw new Error(`etcd at ${endpoint.url} is not healthy`);
}

/** Against hangs: `user/add`, which hashes the password, has taken more than 2 s on a busy machine. */
const AUTH_WITHIN_MS = 60_000;

/** Makes the user root with a password and turns authentication on. */
export async function enableAuth(endpoint: EtcdEndpoint, password: string): Promise<void> {
  const call = (path: string, body: object) => etcdCall(endpoint, path, body, AUTH_WITHIN_MS);
  await call("/v3/auth/user/add", { name: "root", password });
  await call("/v3/auth/role/add", { name: "root" });
  await call("/v3/auth/user/grant", { user: "root", role: "root" });
  await call("/v3/auth/enable", {});
}

/** Whether the node itself says that it leads, and in which term. */
export async function leadership(endpoint: EtcdEndpoint): Promise<{ leads: boolean; term: bigint }> {
  const { header, leader, raftTerm } = await etcdCall(endpoint, "/v3/maintenance/status", {}, 2_000);
  const { member_id: self } = header as { member_id: string };
  return { leads: leader === self, term: BigInt(String(raftTerm)) };
}
