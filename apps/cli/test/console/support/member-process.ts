// A member of a throttle that is to be killed. Says "ready" when it takes part.
import { createThrottle } from "@dt/core";
import { redisStore } from "@dt/redis";

const store = redisStore({ url: process.argv[2] as string });
const throttle = createThrottle({ name: "killed", rate: "20/s", staleAfter: "6s", label: "victim", store });
await throttle.start();
process.stdout.write("ready\n");
