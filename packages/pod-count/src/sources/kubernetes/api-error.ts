import { DtError } from "@dt/core";

/** A resource version that the API server no longer has: list again. */
export class Expired extends Error {}

/** What to tell about an answer that is not 200. */
export function apiError(status: number, message: string, namespace: string): DtError | Expired {
  if (status === 410) return new Expired(message);
  const said = `kubernetes: the API server answered ${status}${message === "" ? "" : ` (${message})`}`;
  switch (status) {
    case 401:
      return new DtError(
        "DT_STORE_UNAVAILABLE",
        `${said}; it does not accept the token, which is read anew for every request: if this goes on, the mounted token is not renewed or is not this cluster's`,
      );
    case 403:
      return new DtError(
        "DT_STORE_UNSUITABLE",
        `${said}; the service account needs a Role in namespace ${namespace} with apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"], and a RoleBinding to it`,
      );
    case 404:
      return new DtError(
        "DT_STORE_UNSUITABLE",
        `${said}; it has no discovery.k8s.io/v1, so it is older than Kubernetes 1.21 or not an API server`,
      );
    default:
      return new DtError("DT_STORE_UNAVAILABLE", said);
  }
}

/** Errors of certificates: somebody has to change something. */
const CERTIFICATE = /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** A failure before there was an answer, or within it. */
export function connectionError(url: URL, cause: unknown): DtError {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  if (CERTIFICATE.test(code))
    return new DtError(
      "DT_STORE_UNSUITABLE",
      `kubernetes: the certificate of ${url.origin} is not to be trusted (${code}); ca.crt of the service account must be that of this API server, and its address must be in the certificate`,
      { cause },
    );
  return new DtError("DT_STORE_UNAVAILABLE", `kubernetes: the connection to ${url.origin} failed (${code})`, { cause });
}
