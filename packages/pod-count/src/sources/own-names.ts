import { hostname, networkInterfaces } from "node:os";

/** What this process may be called in a list: its addresses, and its names. */
export interface OwnNames {
  readonly addresses: ReadonlySet<string>;
  /** Host and pod names, in lower case, with and without a domain. */
  readonly hosts: ReadonlySet<string>;
}

/** From `POD_IP` and the network interfaces, `POD_NAME` and the host name; or from what was given alone. */
export function ownNames(given: string | undefined, env: NodeJS.ProcessEnv = process.env): OwnNames {
  if (given !== undefined) return { addresses: new Set([given.toLowerCase()]), hosts: bothNames(given) };
  const { POD_IP: podIp, POD_NAME: podName } = env;
  const addresses = Object.values(networkInterfaces())
    .flatMap((ofInterface) => ofInterface ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address.toLowerCase());
  return {
    addresses: new Set(podIp ? [podIp.toLowerCase()] : addresses),
    hosts: bothNames(podName || hostname()),
  };
}

/** `web-3` of `Web-3.web.default.svc.cluster.local.` */
export function firstLabel(name: string): string {
  return (name.split(".", 1)[0] as string).toLowerCase();
}

function bothNames(name: string): ReadonlySet<string> {
  return new Set([name.toLowerCase(), firstLabel(name)]);
}
