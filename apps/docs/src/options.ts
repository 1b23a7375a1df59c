import { parseArgs } from "node:util";

/** What the command was asked for. */
export interface Options {
  readonly serve: boolean;
  /** Where it is served; 0 is a free one. */
  readonly port: number;
  readonly url: string;
  /** Without a slash at its end; "" at the root of a host. */
  readonly base: string;
  readonly repository: string | undefined;
  /** The folder that the site goes to; undefined for `dist` of this app. */
  readonly out: string | undefined;
}

/** The part of the environment that stands in for options. */
export type Environment = Readonly<Partial<Record<"SITE_URL" | "SITE_BASE" | "SITE_REPOSITORY", string>>>;

/** What `--help` prints. */
export const HELP = `Usage: npm run -s site -- [options]

Builds the documentation site into apps/docs/dist, and checks every link. The built site needs no server of its own:
any host of static files can serve it.

  --serve             serve the site that was built last, on this machine, until Ctrl-C
  --port PORT         where to serve it (default 4321; 0 takes a free one)
  --url URL           the address of the host, for the sitemap and llms.txt (default http://localhost:4321)
  --base PATH         where on the host the site is, such as /docs (default: its root)
  --repository URL    where the files of the repository can be read, such as https://github.com/me/dt/blob/main;
                      without it, links to files that are no pages of the site are plain text
  --out FOLDER        where the built site goes, or is served from
  --help

The environment's SITE_URL, SITE_BASE and SITE_REPOSITORY stand in for --url, --base and --repository.
Exit code: 0 when the site is built, 1 when a page or a link is wrong, 2 for options that make no sense.
`;

/** The options, "help", or what is wrong with them. */
export function parseOptions(args: readonly string[], env: Environment = {}): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        serve: { type: "boolean", default: false },
        port: { type: "string", default: "4321" },
        url: { type: "string", default: env.SITE_URL || "http://localhost:4321" },
        base: { type: "string", default: env.SITE_BASE ?? "" },
        repository: { type: "string", default: env.SITE_REPOSITORY ?? "" },
        out: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return "help";
    return {
      serve: values.serve,
      port: portOf(values.port),
      url: originOf(values.url),
      base: baseOf(values.base),
      repository: values.repository === "" ? undefined : addressOf("--repository", values.repository),
      out: values.out,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

function portOf(port: string): number {
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
  throw new Error(`--port is ${port}; give a whole number from 0 to 65535`);
}

function originOf(url: string): string {
  const address = new URL(addressOf("--url", url));
  if (address.pathname === "/" && address.search === "" && address.hash === "") return address.origin;
  throw new Error(`--url is ${url}; give the address of the host alone, and what follows it as --base`);
}

function addressOf(option: string, url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, "");
  throw new Error(`${option} is ${url}; give an address that begins with https:// or http://`);
}

function baseOf(base: string): string {
  const path = base.replace(/\/+$/, "");
  if (path === "" || /^(?:\/[\w.~-]+)+$/.test(path)) return path;
  throw new Error(`--base is ${base}; give a path that begins with a slash, such as /docs`);
}
