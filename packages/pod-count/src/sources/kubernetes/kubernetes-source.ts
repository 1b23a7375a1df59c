import type { MemberSource } from "../../members/source.ts";
import { checkKubernetesOptions, type KubernetesSourceOptions } from "./options.ts";
import { SliceWatch } from "./slice-watch.ts";

export type { KubernetesSourceOptions } from "./options.ts";

/**
 * The fleet as Kubernetes lists it: a list and watch of the EndpointSlices of a Service, over HTTPS. The pod's service
 * account needs the verbs `list` and `watch` on `endpointslices` of `discovery.k8s.io`.
 * @param options the service whose pods count
 * @throws DtError `DT_INVALID_OPTION`, also outside of a cluster when no `url` is given
 * @example podCountStore({ source: kubernetesSource({ service: "workers" }) });
 */
export function kubernetesSource(options: KubernetesSourceOptions): MemberSource {
  const settings = checkKubernetesOptions(options);
  return {
    name: `kubernetes service ${settings.service}`,
    open(observer) {
      const watch = new SliceWatch(settings, observer);
      return () => watch.close();
    },
  };
}
