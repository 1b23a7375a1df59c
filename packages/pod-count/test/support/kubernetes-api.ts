import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { makeServerCertificate, type ServerCertificate } from "./certificates.ts";

/** An endpoint of a slice: a pod's name and addresses. */
export interface PodEndpoint {
  readonly pod?: string;
  readonly addresses: readonly string[];
  readonly ready?: boolean;
}

/** A request as it came. */
export interface ApiRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly token: string | undefined;
}

interface Slice {
  readonly name: string;
  readonly service: string;
  readonly namespace: string;
  readonly version: number;
  readonly endpoints: readonly PodEndpoint[];
}

interface LoggedEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly slice: Slice;
}

interface Watch {
  readonly response: ServerResponse;
  readonly service: string;
  readonly namespace: string;
  readonly bookmarks: boolean;
  readonly timer: NodeJS.Timeout;
}

const PATH = /^\/apis\/discovery\.k8s\.io\/v1\/namespaces\/([^/]+)\/endpointslices$/;

/**
 * The part of a Kubernetes API server that lists and watches EndpointSlices, over HTTPS: resource versions, chunked
 * lines of JSON, bookmarks, a history that can be compacted (410 Gone), tokens that expire, permissions, and
 * connections that break.
 */
export class KubernetesApi {
  readonly certificate: ServerCertificate;
  readonly requests: ApiRequest[] = [];
  /** Tokens that are accepted. */
  readonly tokens = new Set<string>(["first-token"]);
  /** What a token may do; nothing to be refused with 403. */
  allowed = true;
  /** How many requests to answer with this status, whatever they are; then normally. */
  failing: { status: number; times: number } | undefined;
  /** Accepts connections and requests, and never answers. */
  hanging = false;
  /** Watches are not ended when their time is over, as if the connection had died silently. */
  stopEnding = false;
  /** Accepts watches and ends them at once. */
  endingAtOnce = false;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #slices = new Map<string, Slice>();
  readonly #log: LoggedEvent[] = [];
  readonly #watches = new Set<Watch>();
  #port = 0;
  #version = 100;
  /** Events up to this version are no longer known. */
  #compacted = 100;

  private constructor(certificate: ServerCertificate) {
    this.certificate = certificate;
    this.#server = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) =>
      this.#answer(request, response),
    );
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    this.#server.on("tlsClientError", () => undefined);
  }

  static async start(port = 0, certificate?: ServerCertificate): Promise<KubernetesApi> {
    const api = new KubernetesApi(certificate ?? (await makeServerCertificate(["127.0.0.1"])));
    await new Promise<void>((resolve, reject) => {
      api.#server.once("error", reject);
      api.#server.listen(port, "127.0.0.1", resolve);
    });
    api.#port = (api.#server.address() as AddressInfo).port;
    return api;
  }

  /** Known also after it was stopped, so that another one can take its place. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  get version(): string {
    return String(this.#version);
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  get lists(): readonly ApiRequest[] {
    return this.requests.filter(({ query }) => !query.has("watch"));
  }

  get watches(): readonly ApiRequest[] {
    return this.requests.filter(({ query }) => query.has("watch"));
  }

  /** Creates or replaces a slice, and tells those who watch. */
  put(name: string, endpoints: readonly PodEndpoint[], of = { service: "web", namespace: "default" }): void {
    const type = this.#slices.has(name) ? "MODIFIED" : "ADDED";
    this.#version += 1;
    const slice = { name, ...of, version: this.#version, endpoints };
    this.#slices.set(name, slice);
    this.#happened({ type, slice });
  }

  delete(name: string): void {
    const slice = this.#slices.get(name);
    if (!slice) throw new Error(`there is no slice ${name}`);
    this.#slices.delete(name);
    this.#version += 1;
    this.#happened({ type: "DELETED", slice: { ...slice, version: this.#version } });
  }

  /** Something else in the cluster changes, and a bookmark tells those who watch. */
  bookmark(): void {
    this.#version += 1;
    for (const watch of this.#watches)
      if (watch.bookmarks) {
        const metadata = { resourceVersion: this.version };
        send(watch.response, { type: "BOOKMARK", object: { kind: "EndpointSlice", metadata } });
      }
  }

  /** Forgets what happened so far: who watches from before is told 410, in an event or as the answer. */
  compact(): void {
    this.#version += 1;
    this.#compacted = this.#version;
    this.#log.length = 0;
  }

  /** Sends every watch a line, as it is. */
  sendLine(line: string): void {
    for (const { response } of this.#watches) response.write(`${line}\n`);
  }

  /** Tells every watch that its version has expired, as an event, and ends it. */
  expireWatches(): void {
    for (const watch of [...this.#watches]) {
      send(watch.response, { type: "ERROR", object: gone() });
      this.#end(watch);
    }
  }

  /** Breaks every connection. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const { timer } of this.#watches) clearTimeout(timer);
    this.dropConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", this.url);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    this.requests.push({ path: url.pathname, query: url.searchParams, token });
    if (this.hanging) return;
    const namespace = request.method === "GET" ? PATH.exec(url.pathname)?.[1] : undefined;
    const service = /^kubernetes\.io\/service-name=(.+)$/.exec(url.searchParams.get("labelSelector") ?? "")?.[1];
    const refusal = this.#refusal(token, namespace, service);
    if (refusal) status(response, ...refusal);
    else if (url.searchParams.get("watch"))
      this.#watch(url.searchParams, service as string, namespace as string, response);
    else this.#list(service as string, namespace as string, response);
  }

  #refusal(
    token: string | undefined,
    namespace: string | undefined,
    service: string | undefined,
  ): [number, string] | undefined {
    if (this.failing && this.failing.times > 0) {
      this.failing.times -= 1;
      return [this.failing.status, "it was told to"];
    }
    if (token === undefined || !this.tokens.has(token)) return [401, "Unauthorized"];
    if (namespace === undefined) return [404, "the server could not find the requested resource"];
    if (!this.allowed)
      return [
        403,
        `endpointslices.discovery.k8s.io is forbidden: cannot list resource in the namespace "${namespace}"`,
      ];
    return service === undefined ? [400, "this server wants a labelSelector"] : undefined;
  }

  #list(service: string, namespace: string, response: ServerResponse): void {
    const items = [...this.#slices.values()]
      .filter((slice) => slice.service === service && slice.namespace === namespace)
      .map(asObject);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "EndpointSliceList", metadata: { resourceVersion: this.version }, items }));
  }

  #watch(query: URLSearchParams, service: string, namespace: string, response: ServerResponse): void {
    const from = Number(query.get("resourceVersion"));
    if (from < this.#compacted) {
      status(response, 410, "too old resource version");
      return;
    }
    if (from > this.#version) {
      status(response, 504, `Too large resource version: ${from}, current: ${this.#version}`);
      return;
    }
    response.writeHead(200, { "content-type": "application/json", "transfer-encoding": "chunked" });
    response.flushHeaders();
    const timer = setTimeout(() => this.stopEnding || this.#end(watch), Number(query.get("timeoutSeconds")) * 1_000);
    const bookmarks = query.get("allowWatchBookmarks") === "true";
    const watch: Watch = { response, service, namespace, bookmarks, timer };
    this.#watches.add(watch);
    response.on("close", () => {
      clearTimeout(timer);
      this.#watches.delete(watch);
    });
    for (const event of this.#log) if (event.slice.version > from) tell(watch, event);
    if (this.endingAtOnce) this.#end(watch);
  }

  #happened(event: LoggedEvent): void {
    this.#log.push(event);
    for (const watch of this.#watches) tell(watch, event);
  }

  #end(watch: Watch): void {
    clearTimeout(watch.timer);
    this.#watches.delete(watch);
    watch.response.end();
  }
}

function tell({ response, service, namespace }: Watch, { type, slice }: LoggedEvent): void {
  if (slice.service !== service || slice.namespace !== namespace) return;
  send(response, { type, object: asObject(slice) });
}

/** In two pieces, as a network may deliver it. */
function send(response: ServerResponse, event: unknown): void {
  const line = `${JSON.stringify(event)}\n`;
  response.write(line.slice(0, line.length / 2));
  response.write(line.slice(line.length / 2));
}

function asObject({ name, service, namespace, version, endpoints }: Slice): unknown {
  return {
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: { name, namespace, resourceVersion: String(version), labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    endpoints: endpoints.map(({ pod, addresses, ready = true }) => ({
      addresses,
      conditions: { ready, serving: ready, terminating: !ready },
      ...(pod !== undefined && { targetRef: { kind: "Pod", namespace, name: pod } }),
    })),
    ports: [],
  };
}

function gone(): unknown {
  return { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
}

function status(response: ServerResponse, code: number, message: string): void {
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify({ kind: "Status", status: "Failure", code, message }));
}
