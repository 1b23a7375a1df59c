/** `npm run -s conformance -- --json`: every store of this repository on real servers. */
// Packages import each other by name: from here on that means their sources, so that nothing has to be built.
import "../../../bootstrap/src/from-sources.ts";

const { main } = await import("./run.ts");
process.exitCode = await main(process.argv.slice(2));
