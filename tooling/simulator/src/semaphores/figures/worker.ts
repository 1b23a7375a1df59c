/** A worker process of the table: runs the fleet it is sent, and answers with what came of it. */
import { type Cell, runCell } from "./cell.ts";

process.on("message", async (cell: Cell) => {
  process.send?.(await runCell(cell));
});
