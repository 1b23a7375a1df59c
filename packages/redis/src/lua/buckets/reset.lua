-- reset: forgets a bucket, however damaged it is. Nothing happens when there is no such bucket.
-- KEYS  1 the bucket
-- Reply 'ok'
-- Cost  O(1); the server frees the memory by itself
redis.call('UNLINK', KEYS[1])
return 'ok'
