/** `.ci/run`: everything that must hold, and the proof of the checkers where they are not those proved last. */
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { isProofDue } from "../proof/record.ts";
import { proofStep } from "../proof/steps.ts";
import { runCommand } from "./run-command.ts";
import { everything } from "./steps/everything.ts";

const isDue = isProofDue(repositoryRoot);
process.stdout.write(
  isDue
    ? "The checkers are not those of tooling/checks/proof.json: their proof runs after the tests (npm run proof writes that file).\n"
    : "The checkers are those of tooling/checks/proof.json: they are proved.\n",
);
await runCommand((tarballs) => [...everything(tarballs), ...(isDue ? [proofStep(["tests"])] : [])]);
