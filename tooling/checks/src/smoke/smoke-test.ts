import { join } from "node:path";
import { type NodeMajor, nodeBinary, nodeMajors } from "@dt-tooling/bootstrap/node-binary";
import type { CheckResult } from "./check-result.ts";
import { command } from "./command.ts";
import { type Consumer, type Consumers, createConsumers } from "./consumers.ts";
import { exportsOf, type LoadedPackage, loadAll, modulesOf } from "./load-all.ts";
import { admitsNode } from "./node-range.ts";
import { besideOldestPeers, titleOf } from "./oldest-peers.ts";
import type { PackedPackage } from "./pack.ts";
import { type ScenarioServer, startServerFor } from "./servers.ts";

const scriptTimeoutMs = 60_000;

/**
 * Packages at a time: their scenarios mostly wait for the next epoch or permit, and each starts a process that must
 * meet a deadline of a second.
 */
const AT_A_TIME = 2;

/** A Node version, and what of the packages it loads. */
interface Version {
  readonly major: NodeMajor;
  readonly node: string;
  /** Such as "22.13.0". */
  readonly version: string;
  readonly loaded: Promise<ReadonlyMap<PackedPackage, LoadedPackage>>;
}

/** Uses every packed package as its users would, under each Node it supports. */
export async function smokeTest(
  published: readonly PackedPackage[],
  report: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const packages = [...published, ...besideOldestPeers(published)];
  const results: CheckResult[] = [];
  const tell = (result: CheckResult): void => {
    results.push(result);
    report(result);
  };
  let consumers: Consumers;
  try {
    consumers = await createConsumers(packages);
  } catch (error) {
    const reason = messageOf(error);
    for (const subject of packages) tell({ name: `${titleOf(subject)}: install`, status: "failed", reason });
    return results;
  }
  try {
    const versions = await Promise.all(nodeMajors.map((major) => versionOf(major, packages, consumers)));
    // Scenarios may not come too late: they begin when nothing is loaded beside them any more.
    await Promise.allSettled(versions.map(({ loaded }) => loaded));
    const rest = [...packages];
    const work = async (): Promise<void> => {
      for (let subject = rest.shift(); subject; subject = rest.shift())
        for await (const result of smokeTestPackage(subject, consumers.of(subject), versions)) tell(result);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return results;
  } finally {
    await consumers.remove();
  }
}

/** Begins to load everything that this Node is promised to load. */
async function versionOf(major: NodeMajor, packages: readonly PackedPackage[], consumers: Consumers): Promise<Version> {
  const node = nodeBinary(major);
  const options = { cwd: consumers.path, timeoutMs: scriptTimeoutMs };
  const version = (await command(node, ["--version"], options)).trim().slice(1);
  const admitted = packages.filter(
    (subject) => modulesOf(subject).length > 0 && admitsNode(subject.manifest.engines?.node, version),
  );
  const loaded = loadAll(node, admitted, consumers);
  loaded.catch(() => {}); // Each of them tells.
  return { major, node, version, loaded };
}

async function* smokeTestPackage(
  subject: PackedPackage,
  consumer: Consumer,
  versions: readonly Version[],
): AsyncGenerator<CheckResult, void> {
  const name = titleOf(subject);
  let server: ScenarioServer | undefined;
  try {
    yield { name: `${name}: install`, status: "passed" };
    if (consumer.scenarios.length > 0) server = await startServerFor(subject.folder);
    for (const version of versions) yield* smokeTestUnder(version, subject, consumer, server?.env ?? {});
  } catch (error) {
    yield { name: `${name}: its server`, status: "failed", reason: messageOf(error) };
  } finally {
    await server?.stop();
  }
}

async function* smokeTestUnder(
  { major, node, version, loaded }: Version,
  subject: PackedPackage,
  consumer: Consumer,
  env: Readonly<Record<string, string>>,
): AsyncGenerator<CheckResult, void> {
  const { manifest } = subject;
  const label = (what: string) => `${titleOf(subject)} under Node ${major}: ${what}`;
  if (!admitsNode(manifest.engines?.node, version)) {
    const reason = `engines.node is ${manifest.engines?.node}`;
    yield { name: label(`nothing is promised for ${version}`), status: "excluded", reason };
    return;
  }
  const run = (args: readonly string[]): Promise<string> =>
    command(node, args, { cwd: consumer.path, timeoutMs: scriptTimeoutMs, env });
  if (modulesOf(subject).length > 0) yield* loads(label, subject, loaded);
  for (const bin of Object.values(manifest.bin ?? {})) {
    yield await check(label(`${bin} --help`), () => run([join("node_modules", manifest.name, bin), "--help"]));
  }
  for (const scenario of consumer.scenarios) {
    yield await check(label(scenario), () => run([scenario]));
  }
}

async function* loads(
  label: (what: string) => string,
  subject: PackedPackage,
  loaded: Version["loaded"],
): AsyncGenerator<CheckResult, void> {
  let imported: string | undefined;
  const { required } = (await loaded.catch(() => undefined))?.get(subject) ?? {};
  yield await check(label("import"), async () => {
    imported = exportsOf(((await loaded).get(subject) as LoadedPackage).imported);
  });
  if (required === undefined) return;
  yield await check(label("require, with the same exports"), async () => {
    const found = exportsOf(required);
    if (imported !== found) throw new Error(`imported: ${imported}\nrequired: ${found}`);
  });
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
