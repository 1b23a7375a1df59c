import { readFile } from "node:fs/promises";
import { DtError } from "@dt/core";
import { checkLabel, type KubernetesSettings } from "./options.ts";

/** What a pod is given to talk to the API server. */
export interface ServiceAccount {
  readonly token: string;
  readonly ca: string;
  readonly namespace: string;
}

/**
 * Read anew for every request: the kubelet replaces the token before it expires.
 * @throws DtError `DT_STORE_UNSUITABLE`
 */
export async function readServiceAccount(settings: KubernetesSettings): Promise<ServiceAccount> {
  const { files } = settings;
  const [token, ca, namespace] = await Promise.all([
    readMounted(files.token),
    readMounted(files.ca),
    settings.namespace ?? readMounted(files.namespace),
  ]);
  return { token, ca, namespace: checkLabel("namespace", namespace) };
}

async function readMounted(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new DtError(
      "DT_STORE_UNSUITABLE",
      `kubernetes: ${path} cannot be read (${code}); give the pod a service account and leave automountServiceAccountToken on, or give its folder as serviceAccount`,
      { cause },
    );
  }
  if (text.trim() === "")
    throw new DtError("DT_STORE_UNSUITABLE", `kubernetes: ${path} is empty; mount a service account there`);
  return text.trim();
}
