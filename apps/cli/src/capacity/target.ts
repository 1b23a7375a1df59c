import { UsageError } from "../exit-code.ts";

/** What is called, and how. */
export interface Target {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** A call without an answer after so many milliseconds is lost. */
  readonly timeoutMs: number;
}

/**
 * Checks that the service may be loaded. Load measured to the point where latency is lost harms whoever else uses the
 * service, so any host but this machine is to be named a second time.
 * @param mine the host that the user says is theirs to load
 * @throws UsageError
 */
export function checkTarget(text: string, mine: string | undefined): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new UsageError("--url is no address; give one that begins with http:// or https://");
  if (isThisMachine(url.hostname) || mine === url.hostname) return url;
  throw new UsageError(
    `${url.hostname} is not this machine, and will be loaded until it answers late. If you may do that, confirm it with --may-overload ${url.hostname}`,
  );
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Headers as `Name: value`.
 * @throws UsageError
 */
export function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError('a --header is no header; give a name, a colon and a value, as in "Accept: text/plain"');
      return [name, value];
    }),
  );
}
