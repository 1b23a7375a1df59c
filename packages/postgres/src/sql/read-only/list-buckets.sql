-- list of buckets: a page of their names, in the order of their bytes. A statement of its own, and no function.
-- Input  {name}, {key}: those before the page; {count}: the most names
-- Output name, key
-- Cost   O(log n + names), in the index of names
SELECT b.name, b.key FROM {schema}.dt_bucket b
WHERE (b.name, b.key) > ({name} COLLATE "C", {key} COLLATE "C")
ORDER BY b.name, b.key LIMIT {count}
