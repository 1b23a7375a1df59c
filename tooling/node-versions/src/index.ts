export { type NodeMajor, nodeBinary, nodeMajors } from "./node-binary.ts";
