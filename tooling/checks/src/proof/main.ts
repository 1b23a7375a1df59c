/** `npm run proof`: shows that the checkers find what they are there to find. */
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { runCommand } from "../check/run-command.ts";
import { recordProof, subjectNow } from "./record.ts";
import { proofStep } from "./steps.ts";

const HELP = `Usage: npm run proof

Shows that the checkers find what they are there to find: runs every test/**/*.proof.ts, among them the conformance suite against stores
that are broken on purpose, the simulator and the model on a core with seeded bugs, and the guide for authors of stores step by step.
What a change of a package can break is in npm test.

When all pass, a hash of the checkers' sources is written to tooling/checks/proof.json: commit it with the change of the checkers.
.ci/run runs the proof where that hash is not the one of the sources.

One file alone: npx vitest run --config vitest.proof.config.ts <path>

The last line is "N passed, N failed, N skipped". Exit code 0: all passed, 1: not, 2: cannot be done as asked.
`;

const args = process.argv.slice(2);
if (args.includes("--help")) {
  process.stdout.write(HELP);
} else if (args.length > 0) {
  process.stderr.write(`npm run proof takes no arguments; these are: ${args.join(" ")} (--help says what it does)\n`);
  process.exitCode = 2;
} else {
  // Of the sources as the run found them: what is changed meanwhile is not proved.
  const subject = subjectNow(repositoryRoot);
  await runCommand(
    () => [proofStep([])],
    (totals, write) => {
      const file = recordProof(repositoryRoot, subject, totals);
      write(`The checkers are proved. Commit ${file} with them.\n`);
    },
  );
}
