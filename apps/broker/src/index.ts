export { Broker, type BrokerOptions } from "./broker.ts";
