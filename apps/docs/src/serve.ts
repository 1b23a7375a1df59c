import { existsSync } from "node:fs";
import { join } from "node:path";
import { preview } from "astro";

/** A served site. */
export interface Served extends AsyncDisposable {
  /** Of its front page. */
  readonly url: string;
}

/**
 * Serves a built site on this machine.
 *
 * @param port where; 0 takes a free one
 * @param base what is before every address of the site; "" at the root
 * @throws Error when the folder holds no built site, or the port is taken
 */
export async function serveSite(out: string, base: string, port: number): Promise<Served> {
  if (!existsSync(join(out, "index.html")))
    throw new Error(`${out} holds no built site; build it first: npm run -s site`);
  const server = await preview({
    configFile: false,
    logLevel: "error",
    root: join(out, ".."),
    outDir: out,
    base: base === "" ? "/" : base,
    server: { host: "127.0.0.1", port },
    vite: { preview: { strictPort: true } },
  });
  return {
    url: `http://127.0.0.1:${server.port}${base}/`,
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
