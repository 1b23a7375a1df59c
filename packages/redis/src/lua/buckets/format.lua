-- What the parts of the scripts of buckets have in common. Cost: none.

-- What a packed row begins with, as MessagePack has it. A released order of its fields never changes: a new one has
-- another format.
local TAG, HEAD = 'f1', '\162f1'
-- A bucket is kept so much longer than it means something, and no longer than so (bucketMeansForMs of @dt/core).
local KEEP_MS, LONGEST_MS = 10000, 1e12
-- A unit that is due so soon is due now: sums of times are rounded.
local NOW_MS = 1 / 16
-- What makes a cost wait.
local NOTHING, RATE, CONCURRENT = 0, 1, 2
local pack_values, unpack_values, ceil = cmsgpack.pack, cmsgpack.unpack, math.ceil
