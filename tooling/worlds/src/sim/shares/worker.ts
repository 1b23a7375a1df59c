/** A worker process of the shares table: runs the fleet it is sent, and answers with what came of it. */
import { runCell } from "./cell.ts";
import { loadFleetCore } from "./fleet-core.ts";
import type { CellJob } from "./table.ts";

process.on("message", async ({ coreFolder, cell }: CellJob) => {
  process.send?.(await runCell(await loadFleetCore(coreFolder), cell));
});
