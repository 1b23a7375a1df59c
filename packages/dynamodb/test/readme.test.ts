import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startDynamoDb } from "@dt-tooling/backends";
import { loader } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";
import { cloudFormationTemplate, terraformResource } from "../src/index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

function block(language: string): string | undefined {
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
}

it("the templates in the README are what the functions give", () => {
  expect(block("yaml")).toBe(cloudFormationTemplate("throttle"));
  expect(block("hcl")).toBe(terraformResource("throttle"));
});

it("the dollars in the README are what its formula gives", () => {
  const [writePrice, readPrice] = [...readme.matchAll(/[WR] = \$([\d.]+)/g)].map(([, price]) => Number(price));
  const perMonth = (n: number, s: number): number => {
    const [W, R] = [writePrice as number, readPrice as number];
    const heartbeats = ((2.63 * n) / s) * (W + R);
    const time = 2.63 * Math.min(1, n / s) * W;
    return heartbeats + time + (2.63 / s) * R * Math.ceil((n * 0.15) / 4);
  };
  const rows = [...readme.matchAll(/^\| ([\d,]+) \| ([\d.,]+) \| ([\d.,]+) \| ([\d.,]+) \|$/gm)];
  const number = (text = ""): number => Number(text.replaceAll(",", ""));
  expect(rows.length).toBe(3);
  for (const [, members, ...dollars] of rows)
    for (const [column, s] of [1, 5, 30].entries()) {
      expect(number(dollars[column])).toBe(Math.round(perMonth(number(members), s)));
    }
});

it.each(["createThrottle", "createPacer"])("the example of %s runs as it is", async (name) => {
  const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code as string);
  // Where the AWS SDK is found, and git does not look.
  const folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.readme-"));
  const server = await startDynamoDb();
  try {
    const script = join(folder, "example.mjs");
    writeFileSync(script, examples.find((code) => code.includes(`${name}({`)) as string);
    const { accessKeyId, secretAccessKey } = server.credentials;
    const address = { AWS_ENDPOINT_URL_DYNAMODB: server.url, AWS_REGION: server.region };
    const env = { ...process.env, ...address, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    const options = { cwd: folder, env, timeout: 300_000 };
    const command = ["--no-warnings", "--import", loader, script];
    const run = await promisify(execFile)(process.execPath, command, options);
    expect(run).toMatchObject({ stdout: "call 0\ncall 1\ncall 2\n", stderr: "" });
  } finally {
    rmSync(folder, { recursive: true });
    await server.stop();
  }
});
