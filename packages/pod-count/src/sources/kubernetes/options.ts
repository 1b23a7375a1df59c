import { join } from "node:path";
import { DtError, type Duration } from "@dt/core";
import { invalidOption, option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";
import { type OwnNames, ownNames } from "../own-names.ts";

/** Options of {@link kubernetesSource}. */
export interface KubernetesSourceOptions {
  /** The Service whose endpoints are the members. Any kind of Service; headless is not needed. */
  readonly service: string;
  /**
   * The namespace of the service.
   * @default the pod's own, from the service account
   */
  readonly namespace?: string;
  /**
   * This member among the endpoints: its pod's name or address.
   * @default `POD_NAME` or the host name, `POD_IP` or the network interfaces
   */
  readonly self?: string;
  /**
   * The API server, `https://host:port`.
   * @default from `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`, which every pod has
   */
  readonly url?: string;
  /**
   * The folder with `token`, `ca.crt` and `namespace`.
   * @default where Kubernetes mounts them
   */
  readonly serviceAccount?: string;
  /**
   * A watch ends and begins again this often, at least 1 s: the only proof that a silent connection is not a dead one.
   * @default 10 s: a request every 10 s for each pod, answered from the API server's memory
   */
  readonly confirmInterval?: Duration;
  /**
   * Deadline of a request until it is answered.
   * @default 5 s
   */
  readonly timeout?: Duration;
}

/** Options, checked. */
export interface KubernetesSettings
  extends Settings<Omit<KubernetesSourceOptions, "self" | "url" | "serviceAccount">, "namespace"> {
  readonly own: OwnNames;
  readonly url: URL;
  readonly files: { readonly token: string; readonly ca: string; readonly namespace: string };
}

const KUBERNETES = {
  service: option.checked(checkLabel),
  namespace: option.checked(checkLabel).optional,
  self: option.name.optional,
  url: option.checked((_, url) => checkUrl(url)),
  serviceAccount: option.name.or("/var/run/secrets/kubernetes.io/serviceaccount"),
  confirmInterval: option.duration(1_000).or("10s"),
  timeout: option.driverTimeout.or("5s"),
} satisfies TableOf<KubernetesSourceOptions>;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkKubernetesOptions(options: KubernetesSourceOptions): KubernetesSettings {
  const { self, serviceAccount, ...settings } = settingsOf(KUBERNETES, options, "kubernetesSource options");
  const inFolder = (file: string): string => join(serviceAccount, file);
  return {
    ...settings,
    own: ownNames(self),
    files: { token: inFolder("token"), ca: inFolder("ca.crt"), namespace: inFolder("namespace") },
  };
}

/** A name as Kubernetes allows it for Services and namespaces; it becomes part of a path. */
export function checkLabel(option: string, value: unknown): string {
  if (typeof value === "string" && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value)) return value;
  throw invalidOption(option, value, "give a name of small letters, digits and dashes, at most 63");
}

function checkUrl(given: unknown): URL {
  if (given === undefined) {
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = process.env;
    if (!host)
      throw invalidOption(
        "environment variable KUBERNETES_SERVICE_HOST",
        host,
        "every pod has it, so this is not one; outside of a cluster give url and serviceAccount, or another source",
      );
    return new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`);
  }
  if (typeof given !== "string" || !URL.canParse(given)) throw wrongUrl(typeof given === "string" ? "no URL" : given);
  const url = new URL(given);
  if (url.protocol !== "https:") throw wrongUrl(`of ${url.protocol}//${url.host}`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "" || url.pathname !== "/")
    throw wrongUrl(`of ${url.origin} with more than host and port (a user, a path or a query)`);
  return url;
}

/** What was given is not shown: it may hold a password or a token. */
function wrongUrl(what: unknown): DtError {
  const shown = typeof what === "string" ? what : `${typeof what}, not a text`;
  return new DtError(
    "DT_INVALID_OPTION",
    `url is ${shown}; give https://host:port: the token comes from serviceAccount, and is not sent over anything else`,
  );
}
