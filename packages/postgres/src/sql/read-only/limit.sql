-- readLimit: the record of a limit, changing nothing. A statement of its own, and no function.
-- Input  {kind}, {name}, {key}
-- Output whether there is one; its revision, values, end and history; the server's time
-- Cost   one look-up by key
SELECT l.kind IS NOT NULL, l.revision, l.values, l.until_ms, l.history, {schema}.dt_clock_ms()
FROM (SELECT) one
LEFT JOIN {schema}.dt_limit l ON l.kind = {kind} COLLATE "C" AND l.name = {name} COLLATE "C" AND l.key = {key} COLLATE "C"
