import type { StoreAddress } from "../stores/store-address.ts";
import { withoutUrlSecrets } from "../without-secrets.ts";

/** Texts of a store's address that are never shown: its password, as it was typed and as it is sent. */
export function secretsOf(address: StoreAddress): readonly string[] {
  if (!("url" in address)) return [];
  const { password } = new URL(address.url);
  return [...new Set([password, decodeURIComponent(password)])].filter((secret) => secret !== "");
}

/** A message without these texts, and whose URLs have neither user, password nor parameters. */
export function withoutSecretsOf(secrets: readonly string[], message: string): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, "***"), withoutUrlSecrets(message));
}
