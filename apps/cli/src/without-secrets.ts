/**
 * A message without what a user may have typed by mistake where it is repeated: commander quotes values, options that
 * it does not know with all that follows them, and arguments that are too many. Any of them may be a password.
 */
export function withoutValues(message: string): string {
  return withoutUrlSecrets(
    message
      .replace(/^(error: (?:option|command-argument)[^']*(?:'[^']*' argument|value)) '[\s\S]*' (is invalid)/, "$1 $2")
      .replace(/^(error: unknown option '(?:--[\w-]*|-\w?))[\s\S]*?'(?=\n|$)/, "$1'")
      .replace(/^(error: too many arguments[\s\S]*? but got \d+)[\s\S]*$/, "$1.\n")
      .replace(/^error: unknown command '(?![\w-]{1,30}')[\s\S]*'/, "error: unknown command"),
  );
}

/** A message whose URLs have neither user, password nor parameters. */
export function withoutUrlSecrets(message: string): string {
  return message
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s'"]*@/gi, "$1")
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/[^\s?#'"]*)[?#][^\s'"]*/gi, "$1");
}

/** An address as it may be shown. */
export function shownUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}
