-- list: a page of the names of groups or of keys, in the order of their bytes. A statement of its own, and no function.
-- Input  {table}: dt_group or dt_permit_key; {after}: the name before the page; {count}: the most names
-- Output name
-- Cost   O(log n + names), in the index of names
SELECT n.name FROM {schema}.{table} n WHERE n.name > {after} COLLATE "C" ORDER BY n.name LIMIT {count}
