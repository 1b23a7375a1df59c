/** `npm run -s sizes`: measures the packages as published, and writes the record and its page. */
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { runCommand } from "../check/run-command.ts";
import { toolStep } from "../check/steps/tool-step.ts";
import { turbo } from "../check/steps/tools.ts";
import { onePassed } from "../check/totals.ts";
import { packPublicPackages } from "../smoke/index.ts";
import { measureSizes } from "./measure.ts";
import { sizesPage } from "./page.ts";
import { PAGE, RECORD } from "./record.ts";

await runCommand((tarballs) => [
  toolStep("build", "turbo", ["run", "build", "--filter=./packages/*", "--filter=./apps/cli", ...turbo]),
  {
    name: "sizes",
    needs: "build",
    run: async (write) => {
      const sizes = await measureSizes(await packPublicPackages(tarballs));
      writeFileSync(RECORD, `${JSON.stringify(sizes, null, 2)}\n`);
      writeFileSync(PAGE, sizesPage(sizes));
      write(`${[RECORD, PAGE].map((file) => relative(repositoryRoot, file)).join(" and ")} are written\n`);
      return onePassed;
    },
  },
]);
