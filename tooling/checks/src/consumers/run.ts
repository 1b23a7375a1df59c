import { count, format } from "../check/check-results.ts";
import { runCommand } from "../check/run-command.ts";
import type { Step } from "../check/step.ts";
import { toolStep } from "../check/steps/tool-step.ts";
import { turbo } from "../check/steps/tools.ts";
import { type PackedPackage, packPublicPackages, smokeTest } from "../smoke/index.ts";
import { checkProject } from "./check-project.ts";
import { projectNames } from "./projects.ts";
import { startProjectServers } from "./servers.ts";

/** The one that is no project: every package in a project of its own, under each Node, imported and required. */
const NODES = "node";

const HELP = `Builds and packs every package, and uses the tarballs in projects of users, outside this repository.

  npm run -s consumers [-- <project> ...]

Without a name, all of them. There are:
  ${NODES}: every package under Node 20, 22 and 24, imported and required, with the programs of its page
  ${projectNames().join(", ")}: projects with that tool, below tooling/checks/fixtures/consumers

Servers are started here, or found by DT_REDIS_URL, DT_POSTGRES_URL, DT_ETCD_URL and DT_DYNAMODB_URL.
`;

export async function main(args: readonly string[]): Promise<void> {
  const names = [NODES, ...projectNames()];
  const unknown = args.find((name) => !name.startsWith("-") && !names.includes(name));
  if (args.includes("--help")) process.stdout.write(HELP);
  else if (unknown !== undefined || args.some((arg) => arg.startsWith("-"))) {
    process.stderr.write(
      `${unknown ?? args.find((arg) => arg.startsWith("-"))}: there is no such project; there are: ${names.join(", ")}\n`,
    );
    process.exitCode = 2;
  } else await runCommand((tarballs) => steps(args.length === 0 ? names : args, tarballs));
}

function steps(names: readonly string[], tarballs: string): Step[] {
  let packed: Promise<PackedPackage[]> | undefined;
  const packages = () => {
    packed ??= packPublicPackages(tarballs);
    return packed;
  };
  const build = ["run", "build", "--filter=./packages/*", "--filter=./apps/cli", "--continue", ...turbo];
  return [
    toolStep("build", "turbo", build),
    ...names.map(
      (name, index): Step => ({
        name,
        needs: "build",
        // One after the other: their programs have deadlines.
        after: names.slice(0, index),
        run: async (write) => {
          const report = (result: Parameters<typeof format>[0]) => write(`${format(result)}\n`);
          if (name === NODES) return count(await smokeTest(await packages(), report));
          const servers = await startProjectServers();
          try {
            return count(await checkProject(name, await packages(), servers.env, report));
          } finally {
            await servers.stop();
          }
        },
      }),
    ),
  ];
}
