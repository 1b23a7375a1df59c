import { createServerLimit } from "@dt/http/server";
import { createKeyed } from "@dt/keyed";
import { redisStore } from "@dt/redis";
import express from "express";

const store = redisStore({ url: process.env.REDIS_URL });
const keyed = createKeyed({ name: "api", limit: { rate: "5/min" }, store });
const limit = createServerLimit({ policies: [{ name: "client", keyed, key: ({ address }) => address }] });

const app = express();
app.use(limit.express());
app.get("/", (_, response) => response.send("hello"));

const server = app.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
