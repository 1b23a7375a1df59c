import { join } from "node:path";
import { type NodeMajor, nodeBinary, nodeMajors } from "@dt-tooling/bootstrap/node-binary";
import type { CheckResult } from "./check-result.ts";
import { command } from "./command.ts";
import { type Consumer, createConsumer } from "./consumer.ts";
import { admitsNode } from "./node-range.ts";
import type { PackedPackage } from "./pack.ts";
import { type ScenarioServer, startServerFor } from "./servers.ts";

const scriptTimeoutMs = 60_000;

/** Packages at a time: mostly npm is waited for, or a process that starts. */
const AT_A_TIME = 2;

/** Uses every packed package as its users would, under each Node it supports. */
export async function smokeTest(
  packages: readonly PackedPackage[],
  report: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const rest = [...packages];
  const work = async (): Promise<void> => {
    for (let subject = rest.shift(); subject; subject = rest.shift()) {
      for await (const result of smokeTestPackage(subject, packages)) {
        results.push(result);
        report(result);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return results;
}

async function* smokeTestPackage(
  subject: PackedPackage,
  all: readonly PackedPackage[],
): AsyncGenerator<CheckResult, void> {
  const { name } = subject.manifest;
  let consumer: Consumer;
  try {
    consumer = await createConsumer(subject, all);
  } catch (error) {
    yield { name: `${name}: install`, status: "failed", reason: messageOf(error) };
    return;
  }
  let server: ScenarioServer | undefined;
  try {
    yield { name: `${name}: install`, status: "passed" };
    if (consumer.scenarios.length > 0) server = await startServerFor(subject.folder);
    for (const major of nodeMajors) yield* smokeTestUnder(major, subject, consumer, server?.env ?? {});
  } catch (error) {
    yield { name: `${name}: its server`, status: "failed", reason: messageOf(error) };
  } finally {
    await server?.stop();
    await consumer.remove();
  }
}

async function* smokeTestUnder(
  major: NodeMajor,
  { manifest }: PackedPackage,
  consumer: Consumer,
  env: Readonly<Record<string, string>>,
): AsyncGenerator<CheckResult, void> {
  const label = (what: string) => `${manifest.name} under Node ${major}: ${what}`;
  let node: string;
  try {
    node = nodeBinary(major);
    const version = (await run(["--version"])).trim().slice(1);
    if (!admitsNode(manifest.engines?.node, version)) {
      const reason = `engines.node is ${manifest.engines?.node}`;
      yield { name: label(`nothing is promised for ${version}`), status: "excluded", reason };
      return;
    }
  } catch (error) {
    yield { name: label("start"), status: "failed", reason: messageOf(error) };
    return;
  }
  function run(args: readonly string[]): Promise<string> {
    return command(node, args, { cwd: consumer.path, timeoutMs: scriptTimeoutMs, env });
  }
  const modules = Object.keys(manifest.exports ?? {})
    .filter((subpath) => subpath !== "./package.json")
    .map((subpath) => manifest.name + subpath.slice(1));
  const isDual = JSON.stringify(manifest.exports ?? {}).includes('"require"');
  let imported: string | undefined;
  if (modules.length > 0) {
    yield await check(label("import"), async () => {
      imported = exportsOf(await run(["load.mjs", ...modules]));
    });
  }
  if (modules.length > 0 && isDual) {
    yield await check(label("require, with the same exports"), async () => {
      const required = exportsOf(await run(["load.cjs", ...modules]));
      if (imported !== required) throw new Error(`imported: ${imported}\nrequired: ${required}`);
    });
  }
  for (const bin of Object.values(manifest.bin ?? {})) {
    yield await check(label(`${bin} --help`), () => run([join("node_modules", manifest.name, bin), "--help"]));
  }
  for (const scenario of consumer.scenarios) {
    yield await check(label(scenario), () => run([scenario]));
  }
}

/** A canonical form of what load.mjs and load.cjs print. @throws Error when a module exports nothing. */
function exportsOf(output: string): string {
  const loaded = JSON.parse(output) as Record<string, string[]>;
  for (const [name, keys] of Object.entries(loaded)) {
    if (keys.length === 0) throw new Error(`${name} exports nothing`);
  }
  return JSON.stringify(Object.entries(loaded).map(([name, keys]) => [name, [...keys].sort()]));
}

async function check(name: string, action: () => Promise<unknown>): Promise<CheckResult> {
  try {
    await action();
    return { name, status: "passed" };
  } catch (error) {
    return { name, status: "failed", reason: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
