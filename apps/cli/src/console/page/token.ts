const KEPT_AS = "dt-console-token";

/**
 * The token of the address, which is then taken out of the address bar and of the history: a screenshot or a copied
 * address would give it away. This tab keeps it, so that it can be loaded again.
 */
export function takeToken(): string {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given === null) return sessionStorage.getItem(KEPT_AS) ?? "";
  sessionStorage.setItem(KEPT_AS, given);
  address.searchParams.delete("token");
  history.replaceState(history.state, "", address);
  return given;
}
