/** `npm run -s consumers`: the packages as published, in projects as users have them. */
import "../../../bootstrap/src/from-sources.ts";

const { main } = await import("./run.ts");
await main(process.argv.slice(2));
