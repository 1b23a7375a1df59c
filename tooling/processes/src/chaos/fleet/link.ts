import { type Endpoint, FaultProxy, type LinkFault } from "@dt-tooling/backends";

/** One worker's way to all servers of its store: a fault proxy in front of each, all with the same fault. */
export class Link {
  readonly #proxies: ReadonlyMap<string, FaultProxy>;

  private constructor(proxies: ReadonlyMap<string, FaultProxy>) {
    this.#proxies = proxies;
  }

  static async to(servers: readonly Endpoint[], host: string): Promise<Link> {
    const proxies = new Map<string, FaultProxy>();
    for (const server of servers) proxies.set(key(server), await FaultProxy.listen(server, host));
    return new Link(proxies);
  }

  /** Where this worker reaches a server. */
  readonly at = (server: Endpoint): Endpoint => {
    const proxy = this.#proxies.get(key(server));
    if (proxy === undefined) throw new Error(`there is no way to ${key(server)}`);
    return proxy.endpoint;
  };

  apply(fault: LinkFault | undefined): void {
    for (const proxy of this.#proxies.values()) proxy.apply(fault);
  }

  reset(): void {
    for (const proxy of this.#proxies.values()) proxy.reset();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#proxies.values()].map((proxy) => proxy.close()));
  }
}

const key = ({ host, port }: Endpoint): string => `${host}:${port}`;
