-- Notes that a node is alive and says how many are.
-- KEYS[1] sorted set of nodes by when they were last heard of
-- ARGV[1] the node
-- ARGV[2] microseconds after which a silent node counts as gone
local now = read_clock()
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], math.ceil(2 * ARGV[2] / 1000))
return redis.call('ZCARD', KEYS[1])
