import { access, constants } from "node:fs/promises";
import type { Browser, ConsoleMessage, Page } from "playwright-core";
import { LocalServer } from "./local-server.ts";
import { type Program, requireProgram } from "./program.ts";

export type { Page } from "playwright-core";

/** How a browser is started. */
export interface ChromiumOptions {
  /** Host names, and the addresses that they lead to: what a page of a hostile name server would make them. */
  readonly hosts?: Readonly<Record<string, string>>;
}

/** How a page is shown. */
export interface PageOptions {
  /** What `prefers-color-scheme` is. @default false: light */
  readonly dark?: boolean;
  /** Of the window, in CSS pixels. @default 1280 */
  readonly width?: number;
  /** @default 800 */
  readonly height?: number;
}

/** A page in a window of its own: it shares no cookies, storage or cache with another one. */
export interface BrowserPage extends AsyncDisposable {
  /** Playwright's page. */
  readonly page: Page;
  /**
   * What went wrong in the page so far: errors that nothing caught, and every error or warning on its console, such as
   * a violation of the Content-Security-Policy or a file that is not there.
   */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** A Chromium without a screen, which is a process of ours. */
export interface Chromium extends AsyncDisposable {
  /** Such as `156.0.8078.108`. */
  readonly version: string;
  /** Of the browser; its other processes are below this one. */
  readonly pid: number | undefined;
  /** Its folder, with the profile and `server.log`. */
  readonly folder: string;
  newPage(options?: PageOptions): Promise<BrowserPage>;
  /** Ends the browser with all its processes, and removes its folder. Safe to call twice. */
  stop(): Promise<void>;
}

const program: Program = {
  command: "chromium",
  aptPackage: "chromium",
  hint: "Install Chromium (Debian: apt-get install chromium), or set DT_CHROMIUM to the path of a Chromium or Chrome.",
};

/** What keeps a browser for tests from looking around, asking and reporting. */
const quiet = [
  "--headless=new",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-proxy-server",
  "--disable-background-networking",
  "--disable-breakpad",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-sync",
  "--disable-gpu",
  "--hide-scrollbars",
  "--mute-audio",
  "--password-store=basic",
  "--use-mock-keychain",
  "--force-color-profile=srgb",
  // The shared memory of a container is small.
  "--disable-dev-shm-usage",
  // Pages that no person looks at are drawn like others.
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
];

/**
 * Starts a Chromium: the program at `DT_CHROMIUM`, or `chromium` of this machine, installed first where that is
 * possible (Debian, as root).
 * @throws Error that says what is missing and how to install it
 */
export async function startChromium({ hosts = {} }: ChromiumOptions = {}): Promise<Chromium> {
  const command = await browserProgram();
  const server = await LocalServer.start({
    name: "chromium",
    prepare: async (sandbox) => {
      await sandbox.makeFolder("tmp");
    },
    plan: (sandbox, port) => ({
      command,
      args: [
        ...quiet,
        // Chromium refuses to be root with its own sandbox.
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
        `--host-resolver-rules=${Object.entries(hosts).map(([name, address]) => `MAP ${name} ${address}`)}`,
        `--user-data-dir=${sandbox.path("data")}`,
        `--remote-debugging-port=${port}`,
        "about:blank",
      ],
      env: { HOME: sandbox.path("data"), TMPDIR: sandbox.path("tmp") },
      probe: () => probe(port),
    }),
  });
  try {
    // Loaded here: it takes a second, which the tests of servers need not wait for.
    const { chromium } = await import("playwright-core");
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${server.port}`);
    return running(server, browser);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function browserProgram(): Promise<string> {
  const { DT_CHROMIUM: path } = process.env;
  if (path === undefined || path === "") return requireProgram(program);
  try {
    await access(path, constants.X_OK);
  } catch (error) {
    throw new Error(`DT_CHROMIUM=${path} is no program: ${(error as Error).message}. ${program.hint}`, {
      cause: error,
    });
  }
  return path;
}

async function probe(port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/json/version`, { signal: AbortSignal.timeout(5_000) });
  if (!answer.ok) throw new Error(`Chromium answers ${answer.status}`);
}

function running(server: LocalServer, browser: Browser): Chromium {
  const stop = async (): Promise<void> => {
    try {
      // Over this connection it only disconnects.
      await browser.close();
    } finally {
      await server.stop();
    }
  };
  return {
    version: browser.version(),
    get pid() {
      return server.pid;
    },
    folder: server.folder,
    newPage: (options) => newPage(browser, options),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function newPage(browser: Browser, options: PageOptions = {}): Promise<BrowserPage> {
  const { dark = false, width = 1280, height = 800 } = options;
  const context = await browser.newContext({
    colorScheme: dark ? "dark" : "light",
    viewport: { width, height },
  });
  const problems: string[] = [];
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(withPlace(message));
  });
  context.on("weberror", (error) => problems.push(String(error.error().stack ?? error.error())));
  const close = (): Promise<void> => context.close();
  return { page: await context.newPage(), problems, close, [Symbol.asyncDispose]: close };
}

function withPlace(message: ConsoleMessage): string {
  return `${message.type()}: ${message.text()} (${message.location().url})`;
}
