-- How often instants of a key were given back.
-- Input: name. Output: releases, or none. Cost: O(log keys), one row.
SELECT releases FROM permit_keys WHERE name = ?
