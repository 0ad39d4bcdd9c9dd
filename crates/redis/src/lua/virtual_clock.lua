-- What our scripts begin with in tests that move the time. KEYS none.
-- ARGV[#ARGV - 1] the time of day, ARGV[#ARGV] elapsed time, both in microseconds since 1970
local function read_clock()
  local wall, steady = ARGV[#ARGV - 1], ARGV[#ARGV]
  return tonumber(wall), tonumber(steady), wall, steady
end
local function expire(key)
  redis.call('PEXPIRE', key, 3600000)
end
