import { expressRateLimitStore } from "@dt/http/stores";
import { redisStore } from "@dt/redis";
import express from "express";
import { rateLimit } from "express-rate-limit";

const store = expressRateLimitStore({ name: "api", store: redisStore({ url: process.env.REDIS_URL }) });

const app = express();
app.use(rateLimit({ windowMs: 60_000, limit: 5, standardHeaders: "draft-8", legacyHeaders: false, store }));
app.get("/", (_, response) => response.send("hello"));

const server = app.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
