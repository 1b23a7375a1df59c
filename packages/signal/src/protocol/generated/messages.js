/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError;

const $root = $protobuf.roots["dt-signal"] || ($protobuf.roots["dt-signal"] = {});

export const dt = $root.dt = (() => {

    const dt = {};

    dt.signal = (function() {

        const signal = {};

        signal.Command = (function() {

            const Command = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Command.prototype.connect = null;
            Command.prototype.connected = null;
            Command.prototype.createProducer = null;
            Command.prototype.producerSuccess = null;
            Command.prototype.send = null;
            Command.prototype.sendReceipt = null;
            Command.prototype.sendError = null;
            Command.prototype.closeProducer = null;
            Command.prototype.subscribe = null;
            Command.prototype.flow = null;
            Command.prototype.message = null;
            Command.prototype.closeConsumer = null;
            Command.prototype.success = null;
            Command.prototype.error = null;
            Command.prototype.ping = null;
            Command.prototype.pong = null;
            Command.prototype.throttleProducer = null;
            Command.prototype.throttleProducerReceipt = null;

            let $oneOfFields;

            $Object.defineProperty(Command.prototype, "command", {
                get: $util.oneOfGetter($oneOfFields = ["connect", "connected", "createProducer", "producerSuccess", "send", "sendReceipt", "sendError", "closeProducer", "subscribe", "flow", "message", "closeConsumer", "success", "error", "ping", "pong", "throttleProducer", "throttleProducerReceipt"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            Command.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.connect != null && $Object.hasOwnProperty.call(message, "connect"))
                    $root.dt.signal.Connect.encode(message.connect, writer.uint32(10).fork(), _depth + 1).ldelim();
                if (message.connected != null && $Object.hasOwnProperty.call(message, "connected"))
                    $root.dt.signal.Connected.encode(message.connected, writer.uint32(18).fork(), _depth + 1).ldelim();
                if (message.createProducer != null && $Object.hasOwnProperty.call(message, "createProducer"))
                    $root.dt.signal.CreateProducer.encode(message.createProducer, writer.uint32(26).fork(), _depth + 1).ldelim();
                if (message.producerSuccess != null && $Object.hasOwnProperty.call(message, "producerSuccess"))
                    $root.dt.signal.ProducerSuccess.encode(message.producerSuccess, writer.uint32(34).fork(), _depth + 1).ldelim();
                if (message.send != null && $Object.hasOwnProperty.call(message, "send"))
                    $root.dt.signal.Send.encode(message.send, writer.uint32(42).fork(), _depth + 1).ldelim();
                if (message.sendReceipt != null && $Object.hasOwnProperty.call(message, "sendReceipt"))
                    $root.dt.signal.SendReceipt.encode(message.sendReceipt, writer.uint32(50).fork(), _depth + 1).ldelim();
                if (message.sendError != null && $Object.hasOwnProperty.call(message, "sendError"))
                    $root.dt.signal.SendError.encode(message.sendError, writer.uint32(58).fork(), _depth + 1).ldelim();
                if (message.closeProducer != null && $Object.hasOwnProperty.call(message, "closeProducer"))
                    $root.dt.signal.CloseProducer.encode(message.closeProducer, writer.uint32(66).fork(), _depth + 1).ldelim();
                if (message.subscribe != null && $Object.hasOwnProperty.call(message, "subscribe"))
                    $root.dt.signal.Subscribe.encode(message.subscribe, writer.uint32(74).fork(), _depth + 1).ldelim();
                if (message.flow != null && $Object.hasOwnProperty.call(message, "flow"))
                    $root.dt.signal.Flow.encode(message.flow, writer.uint32(82).fork(), _depth + 1).ldelim();
                if (message.message != null && $Object.hasOwnProperty.call(message, "message"))
                    $root.dt.signal.Message.encode(message.message, writer.uint32(90).fork(), _depth + 1).ldelim();
                if (message.closeConsumer != null && $Object.hasOwnProperty.call(message, "closeConsumer"))
                    $root.dt.signal.CloseConsumer.encode(message.closeConsumer, writer.uint32(98).fork(), _depth + 1).ldelim();
                if (message.success != null && $Object.hasOwnProperty.call(message, "success"))
                    $root.dt.signal.Success.encode(message.success, writer.uint32(106).fork(), _depth + 1).ldelim();
                if (message.error != null && $Object.hasOwnProperty.call(message, "error"))
                    $root.dt.signal.Error.encode(message.error, writer.uint32(114).fork(), _depth + 1).ldelim();
                if (message.ping != null && $Object.hasOwnProperty.call(message, "ping"))
                    $root.dt.signal.Ping.encode(message.ping, writer.uint32(122).fork(), _depth + 1).ldelim();
                if (message.pong != null && $Object.hasOwnProperty.call(message, "pong"))
                    $root.dt.signal.Pong.encode(message.pong, writer.uint32(130).fork(), _depth + 1).ldelim();
                if (message.throttleProducer != null && $Object.hasOwnProperty.call(message, "throttleProducer"))
                    $root.dt.signal.CommandThrottleProducer.encode(message.throttleProducer, writer.uint32(138).fork(), _depth + 1).ldelim();
                if (message.throttleProducerReceipt != null && $Object.hasOwnProperty.call(message, "throttleProducerReceipt"))
                    $root.dt.signal.CommandThrottleProducerReceipt.encode(message.throttleProducerReceipt, writer.uint32(146).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Command.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Command();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.connect = $root.dt.signal.Connect.decode(reader, reader.size(), $undefined, _depth + 1, message.connect);
                            message.command = "connect";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.connected = $root.dt.signal.Connected.decode(reader, reader.size(), $undefined, _depth + 1, message.connected);
                            message.command = "connected";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.createProducer = $root.dt.signal.CreateProducer.decode(reader, reader.size(), $undefined, _depth + 1, message.createProducer);
                            message.command = "createProducer";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.producerSuccess = $root.dt.signal.ProducerSuccess.decode(reader, reader.size(), $undefined, _depth + 1, message.producerSuccess);
                            message.command = "producerSuccess";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.send = $root.dt.signal.Send.decode(reader, reader.size(), $undefined, _depth + 1, message.send);
                            message.command = "send";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.sendReceipt = $root.dt.signal.SendReceipt.decode(reader, reader.size(), $undefined, _depth + 1, message.sendReceipt);
                            message.command = "sendReceipt";
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.sendError = $root.dt.signal.SendError.decode(reader, reader.size(), $undefined, _depth + 1, message.sendError);
                            message.command = "sendError";
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.closeProducer = $root.dt.signal.CloseProducer.decode(reader, reader.size(), $undefined, _depth + 1, message.closeProducer);
                            message.command = "closeProducer";
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            message.subscribe = $root.dt.signal.Subscribe.decode(reader, reader.size(), $undefined, _depth + 1, message.subscribe);
                            message.command = "subscribe";
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            message.flow = $root.dt.signal.Flow.decode(reader, reader.size(), $undefined, _depth + 1, message.flow);
                            message.command = "flow";
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            message.message = $root.dt.signal.Message.decode(reader, reader.size(), $undefined, _depth + 1, message.message);
                            message.command = "message";
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            message.closeConsumer = $root.dt.signal.CloseConsumer.decode(reader, reader.size(), $undefined, _depth + 1, message.closeConsumer);
                            message.command = "closeConsumer";
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            message.success = $root.dt.signal.Success.decode(reader, reader.size(), $undefined, _depth + 1, message.success);
                            message.command = "success";
                            continue;
                        }
                    case 14: {
                            if (wireType !== 2)
                                break;
                            message.error = $root.dt.signal.Error.decode(reader, reader.size(), $undefined, _depth + 1, message.error);
                            message.command = "error";
                            continue;
                        }
                    case 15: {
                            if (wireType !== 2)
                                break;
                            message.ping = $root.dt.signal.Ping.decode(reader, reader.size(), $undefined, _depth + 1, message.ping);
                            message.command = "ping";
                            continue;
                        }
                    case 16: {
                            if (wireType !== 2)
                                break;
                            message.pong = $root.dt.signal.Pong.decode(reader, reader.size(), $undefined, _depth + 1, message.pong);
                            message.command = "pong";
                            continue;
                        }
                    case 17: {
                            if (wireType !== 2)
                                break;
                            message.throttleProducer = $root.dt.signal.CommandThrottleProducer.decode(reader, reader.size(), $undefined, _depth + 1, message.throttleProducer);
                            message.command = "throttleProducer";
                            continue;
                        }
                    case 18: {
                            if (wireType !== 2)
                                break;
                            message.throttleProducerReceipt = $root.dt.signal.CommandThrottleProducerReceipt.decode(reader, reader.size(), $undefined, _depth + 1, message.throttleProducerReceipt);
                            message.command = "throttleProducerReceipt";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Command;
        })();

        signal.FeatureFlags = (function() {

            const FeatureFlags = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            FeatureFlags.prototype.supportsThrottleProducerCommands = false;

            FeatureFlags.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.supportsThrottleProducerCommands != null && $Object.hasOwnProperty.call(message, "supportsThrottleProducerCommands"))
                    writer.uint32(48).bool(message.supportsThrottleProducerCommands);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            FeatureFlags.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.FeatureFlags();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 6: {
                            if (wireType !== 0)
                                break;
                            message.supportsThrottleProducerCommands = reader.bool();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return FeatureFlags;
        })();

        signal.Connect = (function() {

            const Connect = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Connect.prototype.clientVersion = "";
            Connect.prototype.featureFlags = null;

            Connect.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(10).string(message.clientVersion);
                if (message.featureFlags != null && $Object.hasOwnProperty.call(message, "featureFlags"))
                    $root.dt.signal.FeatureFlags.encode(message.featureFlags, writer.uint32(18).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Connect.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Connect();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.clientVersion = reader.string();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.featureFlags = $root.dt.signal.FeatureFlags.decode(reader, reader.size(), $undefined, _depth + 1, message.featureFlags);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "clientVersion"))
                    throw $util.ProtocolError("missing required 'clientVersion'", { instance: message });
                return message;
            };

            return Connect;
        })();

        signal.Connected = (function() {

            const Connected = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Connected.prototype.serverVersion = "";
            Connected.prototype.featureFlags = null;
            Connected.prototype.maxFrameSize = 0;

            Connected.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(10).string(message.serverVersion);
                if (message.featureFlags != null && $Object.hasOwnProperty.call(message, "featureFlags"))
                    $root.dt.signal.FeatureFlags.encode(message.featureFlags, writer.uint32(18).fork(), _depth + 1).ldelim();
                if (message.maxFrameSize != null && $Object.hasOwnProperty.call(message, "maxFrameSize"))
                    writer.uint32(24).uint32(message.maxFrameSize);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Connected.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Connected();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.serverVersion = reader.string();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.featureFlags = $root.dt.signal.FeatureFlags.decode(reader, reader.size(), $undefined, _depth + 1, message.featureFlags);
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            message.maxFrameSize = reader.uint32();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "serverVersion"))
                    throw $util.ProtocolError("missing required 'serverVersion'", { instance: message });
                return message;
            };

            return Connected;
        })();

        signal.CreateProducer = (function() {

            const CreateProducer = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            CreateProducer.prototype.requestId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            CreateProducer.prototype.producerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            CreateProducer.prototype.topic = "";
            CreateProducer.prototype.producerName = "";

            CreateProducer.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.requestId);
                writer.uint32(16).uint64(message.producerId);
                writer.uint32(26).string(message.topic);
                writer.uint32(34).string(message.producerName);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            CreateProducer.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.CreateProducer();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.requestId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.producerId = reader.uint64();
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.topic = reader.string();
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.producerName = reader.string();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "requestId"))
                    throw $util.ProtocolError("missing required 'requestId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "producerId"))
                    throw $util.ProtocolError("missing required 'producerId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "topic"))
                    throw $util.ProtocolError("missing required 'topic'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "producerName"))
                    throw $util.ProtocolError("missing required 'producerName'", { instance: message });
                return message;
            };

            return CreateProducer;
        })();

        signal.ProducerSuccess = (function() {

            const ProducerSuccess = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            ProducerSuccess.prototype.requestId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            ProducerSuccess.prototype.producerName = "";
            ProducerSuccess.prototype.lastSequenceId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            ProducerSuccess.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.requestId);
                writer.uint32(18).string(message.producerName);
                writer.uint32(24).uint64(message.lastSequenceId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            ProducerSuccess.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.ProducerSuccess();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.requestId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.producerName = reader.string();
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            message.lastSequenceId = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "requestId"))
                    throw $util.ProtocolError("missing required 'requestId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "producerName"))
                    throw $util.ProtocolError("missing required 'producerName'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "lastSequenceId"))
                    throw $util.ProtocolError("missing required 'lastSequenceId'", { instance: message });
                return message;
            };

            return ProducerSuccess;
        })();

        signal.Send = (function() {

            const Send = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Send.prototype.producerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            Send.prototype.sequenceId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            Send.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.producerId);
                writer.uint32(16).uint64(message.sequenceId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Send.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Send();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.producerId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.sequenceId = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "producerId"))
                    throw $util.ProtocolError("missing required 'producerId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "sequenceId"))
                    throw $util.ProtocolError("missing required 'sequenceId'", { instance: message });
                return message;
            };

            return Send;
        })();

        signal.SendReceipt = (function() {

            const SendReceipt = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SendReceipt.prototype.producerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            SendReceipt.prototype.sequenceId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            SendReceipt.prototype.messageId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            SendReceipt.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.producerId);
                writer.uint32(16).uint64(message.sequenceId);
                writer.uint32(24).uint64(message.messageId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SendReceipt.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.SendReceipt();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.producerId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.sequenceId = reader.uint64();
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            message.messageId = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "producerId"))
                    throw $util.ProtocolError("missing required 'producerId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "sequenceId"))
                    throw $util.ProtocolError("missing required 'sequenceId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "messageId"))
                    throw $util.ProtocolError("missing required 'messageId'", { instance: message });
                return message;
            };

            return SendReceipt;
        })();

        signal.SendError = (function() {

            const SendError = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            SendError.prototype.producerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            SendError.prototype.sequenceId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            SendError.prototype.message = "";

            SendError.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.producerId);
                writer.uint32(16).uint64(message.sequenceId);
                writer.uint32(26).string(message.message);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            SendError.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.SendError();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.producerId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.sequenceId = reader.uint64();
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.message = reader.string();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "producerId"))
                    throw $util.ProtocolError("missing required 'producerId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "sequenceId"))
                    throw $util.ProtocolError("missing required 'sequenceId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "message"))
                    throw $util.ProtocolError("missing required 'message'", { instance: message });
                return message;
            };

            return SendError;
        })();

        signal.CloseProducer = (function() {

            const CloseProducer = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            CloseProducer.prototype.requestId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            CloseProducer.prototype.producerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            CloseProducer.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.requestId);
                writer.uint32(16).uint64(message.producerId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            CloseProducer.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.CloseProducer();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.requestId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.producerId = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "requestId"))
                    throw $util.ProtocolError("missing required 'requestId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "producerId"))
                    throw $util.ProtocolError("missing required 'producerId'", { instance: message });
                return message;
            };

            return CloseProducer;
        })();

        signal.Subscribe = (function() {

            const Subscribe = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Subscribe.prototype.requestId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            Subscribe.prototype.consumerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            Subscribe.prototype.topic = "";
            Subscribe.prototype.fromMessageId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            Subscribe.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.requestId);
                writer.uint32(16).uint64(message.consumerId);
                writer.uint32(26).string(message.topic);
                if (message.fromMessageId != null && $Object.hasOwnProperty.call(message, "fromMessageId"))
                    writer.uint32(32).uint64(message.fromMessageId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Subscribe.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Subscribe();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.requestId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.consumerId = reader.uint64();
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.topic = reader.string();
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            message.fromMessageId = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "requestId"))
                    throw $util.ProtocolError("missing required 'requestId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "consumerId"))
                    throw $util.ProtocolError("missing required 'consumerId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "topic"))
                    throw $util.ProtocolError("missing required 'topic'", { instance: message });
                return message;
            };

            return Subscribe;
        })();

        signal.Flow = (function() {

            const Flow = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Flow.prototype.consumerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            Flow.prototype.permits = 0;

            Flow.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.consumerId);
                writer.uint32(16).uint32(message.permits);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Flow.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Flow();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.consumerId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.permits = reader.uint32();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "consumerId"))
                    throw $util.ProtocolError("missing required 'consumerId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "permits"))
                    throw $util.ProtocolError("missing required 'permits'", { instance: message });
                return message;
            };

            return Flow;
        })();

        signal.Message = (function() {

            const Message = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Message.prototype.consumerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            Message.prototype.messageId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            Message.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.consumerId);
                writer.uint32(16).uint64(message.messageId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Message.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Message();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.consumerId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.messageId = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "consumerId"))
                    throw $util.ProtocolError("missing required 'consumerId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "messageId"))
                    throw $util.ProtocolError("missing required 'messageId'", { instance: message });
                return message;
            };

            return Message;
        })();

        signal.CloseConsumer = (function() {

            const CloseConsumer = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            CloseConsumer.prototype.requestId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            CloseConsumer.prototype.consumerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            CloseConsumer.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.requestId);
                writer.uint32(16).uint64(message.consumerId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            CloseConsumer.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.CloseConsumer();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.requestId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.consumerId = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "requestId"))
                    throw $util.ProtocolError("missing required 'requestId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "consumerId"))
                    throw $util.ProtocolError("missing required 'consumerId'", { instance: message });
                return message;
            };

            return CloseConsumer;
        })();

        signal.Success = (function() {

            const Success = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Success.prototype.requestId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            Success.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.requestId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Success.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Success();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.requestId = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "requestId"))
                    throw $util.ProtocolError("missing required 'requestId'", { instance: message });
                return message;
            };

            return Success;
        })();

        signal.Error = (function() {

            const Error = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Error.prototype.requestId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            Error.prototype.message = "";

            Error.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.requestId);
                writer.uint32(18).string(message.message);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Error.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Error();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.requestId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.message = reader.string();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "requestId"))
                    throw $util.ProtocolError("missing required 'requestId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "message"))
                    throw $util.ProtocolError("missing required 'message'", { instance: message });
                return message;
            };

            return Error;
        })();

        signal.Ping = (function() {

            const Ping = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Ping.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Ping.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Ping();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Ping;
        })();

        signal.Pong = (function() {

            const Pong = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Pong.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            Pong.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.Pong();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Pong;
        })();

        signal.CommandThrottleProducer = (function() {

            const CommandThrottleProducer = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            CommandThrottleProducer.prototype.requestId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            CommandThrottleProducer.prototype.producerId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;
            CommandThrottleProducer.prototype.throttlingReason = 0;
            CommandThrottleProducer.prototype.pauseForMillis = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            CommandThrottleProducer.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.requestId);
                writer.uint32(16).uint64(message.producerId);
                writer.uint32(32).int32(message.throttlingReason);
                writer.uint32(40).uint64(message.pauseForMillis);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            CommandThrottleProducer.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.CommandThrottleProducer();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.requestId = reader.uint64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.producerId = reader.uint64();
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            value = reader.int32();
                            if ($root.dt.signal.CommandThrottleProducer.ThrottlingReason[value] !== $undefined)
                                message.throttlingReason = value;
                            else if (!reader.discardUnknown) {
                                $util.makeProp(message, "$unknowns", false);
                                (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                            }
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            message.pauseForMillis = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "requestId"))
                    throw $util.ProtocolError("missing required 'requestId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "producerId"))
                    throw $util.ProtocolError("missing required 'producerId'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "throttlingReason"))
                    throw $util.ProtocolError("missing required 'throttlingReason'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "pauseForMillis"))
                    throw $util.ProtocolError("missing required 'pauseForMillis'", { instance: message });
                return message;
            };

            CommandThrottleProducer.ThrottlingReason = (function() {
                const valuesById = $Object.create(null), values = $Object.create(valuesById);
                values[valuesById[0] = "TopicProduceQuotaExceeded"] = 0;
                values[valuesById[1] = "ResourceGroupProduceQuotaExceeded"] = 1;
                values[valuesById[2] = "ConnectionPendingMessagesBreach"] = 2;
                values[valuesById[3] = "MessageBufferSizeBreach"] = 3;
                values[valuesById[4] = "BrokerProduceQuotaExceeded"] = 4;
                return values;
            })();

            return CommandThrottleProducer;
        })();

        signal.CommandThrottleProducerReceipt = (function() {

            const CommandThrottleProducerReceipt = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            CommandThrottleProducerReceipt.prototype.requestId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            CommandThrottleProducerReceipt.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).uint64(message.requestId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            CommandThrottleProducerReceipt.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.CommandThrottleProducerReceipt();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.requestId = reader.uint64();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "requestId"))
                    throw $util.ProtocolError("missing required 'requestId'", { instance: message });
                return message;
            };

            return CommandThrottleProducerReceipt;
        })();

        signal.MessageMetadata = (function() {

            const MessageMetadata = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            MessageMetadata.prototype.key = "";

            MessageMetadata.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.key != null && $Object.hasOwnProperty.call(message, "key"))
                    writer.uint32(10).string(message.key);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            MessageMetadata.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.dt.signal.MessageMetadata();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.key = reader.string();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return MessageMetadata;
        })();

        return signal;
    })();

    return dt;
})();

export {
  $root as default
};
