export { podCountCapabilities } from "./backend.ts";
export type { MemberAnswer, MemberObserver, MemberSource } from "./members/source.ts";
export type { PodCountOptions } from "./options.ts";
export { PodCountStore, podCountStore } from "./pod-count-store.ts";
export { type DnsSourceOptions, dnsSource } from "./sources/dns/dns-source.ts";
export { envSource } from "./sources/env-source.ts";
export { type FileSourceOptions, fileSource } from "./sources/file-source.ts";
export { fixedSource } from "./sources/fixed-source.ts";
export { type KubernetesSourceOptions, kubernetesSource } from "./sources/kubernetes/kubernetes-source.ts";
