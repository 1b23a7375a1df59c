import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startPrometheus } from "../src/prometheus.ts";
import { promtool } from "../src/promtool.ts";
import { until } from "../src/until.ts";
import { expectNothingLeft } from "./leftovers.ts";

const rules = (above: number): string => `
groups:
  - name: a
    interval: 1s
    rules:
      - { alert: Full, expr: "level > ${above}", annotations: { description: "{{ $labels.tank }} is full" } }
`;

describe("a Prometheus", () => {
  test("scrapes, answers queries, reports alerts, takes another configuration, and leaves nothing", async () => {
    const target = createServer((_, response) => response.end('# TYPE level gauge\nlevel{tank="a"} 7\n'));
    await new Promise<void>((resolve) => void target.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void target.close());
    const config = `
global: { scrape_interval: 1s }
rule_files: [rules.yml]
scrape_configs:
  - { job_name: t, static_configs: [{ targets: ["127.0.0.1:${(target.address() as AddressInfo).port}"] }] }
`;
    const prometheus = await startPrometheus({ config, files: { "rules.yml": rules(9) } });
    const { pid, folder } = prometheus;
    onTestFinished(() => prometheus.stop());
    const level = await until("the target is scraped", 10_000, async () => (await prometheus.query("level"))[0]);
    expect(level).toEqual({ labels: { instance: expect.any(String), job: "t", tank: "a" }, value: 7 });
    expect(await prometheus.query("1 + 1")).toEqual([{ labels: {}, value: 2 }]);
    await expect(prometheus.query("level >")).rejects.toThrow("parse error");
    await expect(prometheus.query("level[1m]")).rejects.toThrow("gives a matrix");
    expect(await prometheus.alerts()).toEqual([]);

    await expect(prometheus.reload({ config: "scrape_configs: 7" })).rejects.toThrow("couldn't load configuration");
    await expect(prometheus.reload({ config, files: { "../rules.yml": "" } })).rejects.toThrow(
      "not the name of a file",
    );
    await prometheus.reload({ config, files: { "rules.yml": rules(5) } });
    const [alert] = await until("the alert fires", 10_000, async () => {
      const alerts = await prometheus.alerts();
      return alerts.length > 0 && alerts;
    });
    expect(alert).toMatchObject({ name: "Full", state: "firing", labels: { tank: "a" } });
    expect(alert?.annotations).toEqual({ description: "a is full" });
    await Promise.all([prometheus.stop(), prometheus.stop()]);
    expectNothingLeft([pid as number], folder);
  });

  test("does not start with a configuration that it cannot read, and its log is shown", async () => {
    await expect(startPrometheus({ config: "scrape_configs: 7" })).rejects.toThrow("cannot unmarshal");
  });
});

test("promtool checks rules, in a folder, and says what is wrong with them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dt-promtool-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "good.yml"), rules(1));
  await writeFile(join(folder, "bad.yml"), rules(1).replace(">", "> >"));
  const good = await promtool(["check", "rules", "good.yml"], folder);
  expect([good.code, good.output]).toEqual([0, expect.stringContaining("SUCCESS: 1 rules found")]);
  const bad = await promtool(["check", "rules", "bad.yml"], folder);
  expect([bad.code, bad.output]).toEqual([1, expect.stringContaining("could not parse expression")]);
});
