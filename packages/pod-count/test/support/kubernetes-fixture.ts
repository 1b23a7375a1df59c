import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KubernetesSourceOptions, kubernetesSource, type MemberSource } from "@dt/pod-count";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { makeServerCertificate, type ServerCertificate } from "./certificates.ts";
import { KubernetesApi, type PodEndpoint } from "./kubernetes-api.ts";
import { Observed } from "./observe.ts";

/** An API server and a mounted service account that it accepts, new for every test of the file. */
export class KubernetesFixture {
  api!: KubernetesApi;
  folder!: string;
  #certificate!: ServerCertificate;
  readonly #opened: Observed[] = [];

  constructor() {
    beforeAll(async () => {
      this.#certificate = await makeServerCertificate(["127.0.0.1"]);
    });
    beforeEach(async () => {
      this.api = await KubernetesApi.start(0, this.#certificate);
      this.folder = mkdtempSync(join(tmpdir(), "dt-service-account-"));
      this.mount({ token: "first-token\n", "ca.crt": this.#certificate.ca, namespace: "default" });
    });
    afterEach(async () => {
      for (const observed of this.#opened.splice(0)) observed.close();
      await this.api.stop();
      rmSync(this.folder, { recursive: true });
    });
  }

  /** Starts another API server where the stopped one was, which knows nothing. */
  async startAgain(): Promise<void> {
    this.api = await KubernetesApi.start(this.api.port, this.#certificate);
  }

  mount(files: Readonly<Record<string, string>>): void {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.folder, name), content);
  }

  source(options: Partial<KubernetesSourceOptions> = {}): MemberSource {
    return kubernetesSource({
      service: "web",
      url: this.api.url,
      serviceAccount: this.folder,
      self: "web-a",
      ...options,
    });
  }

  observe(options: Partial<KubernetesSourceOptions> = {}): Observed {
    const observed = new Observed(this.source(options));
    this.#opened.push(observed);
    return observed;
  }
}

/** Endpoints of these pods. */
export const pods = (...names: readonly string[]): PodEndpoint[] =>
  names.map((name, index) => ({ pod: name, addresses: [`10.0.0.${index + 1}`] }));
