import { hostname } from "node:os";

/** The ordinal at the end of a StatefulSet pod's name: 3 of `web-3`; undefined when there is none. */
export function ordinalOf(podName: string): number | undefined {
  const digits = /-(0|[1-9]\d{0,5})$/.exec(podName.split(".", 1)[0] as string)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * This pod's ordinal. From `POD_NAME`; within Kubernetes also from the host name. The host name of a machine such as
 * `ip-10-0-0-5` says nothing of the kind, so elsewhere it is not looked at.
 */
export function ownOrdinal(env: NodeJS.ProcessEnv = process.env, host: string = hostname()): number | undefined {
  const { POD_NAME: podName, KUBERNETES_SERVICE_HOST: kubernetes } = env;
  if (podName) return ordinalOf(podName);
  return kubernetes ? ordinalOf(host) : undefined;
}
