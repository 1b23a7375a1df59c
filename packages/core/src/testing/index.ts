export { settle, VirtualRuntime } from "./virtual-runtime.ts";
