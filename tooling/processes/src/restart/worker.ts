import { createThrottle } from "@dt/core";

/**
 * A program that takes the whole limit as soon as it can, says so, and goes on until it is killed. It never stops its
 * throttle. Its place in the group would end only after a minute of silence.
 */
const { module, factory, options } = JSON.parse(process.argv[2] as string) as {
  readonly module: string;
  readonly factory: string;
  readonly options: object;
};
const store = ((await import(module)) as Record<string, (options: object) => never>)[factory]?.(options) as never;
const throttle = createThrottle({ group: "restarted", max: 6, staleAfter: "60s", store });
throttle.on("tookOver", ({ held }) => console.log(`took over ${held}`));
await throttle.start();
for (let tokens = 0; tokens < 6; ) {
  tokens = throttle.tryAcquire(6);
  if (tokens === 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log("has all");
setInterval(() => undefined, 1_000);
