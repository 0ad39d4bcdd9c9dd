-- The time, in microseconds since 1970, by this server's clock. KEYS none. ARGV none.
-- Whoever asks is never believed about the time.
local function read_clock()
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  return micros, micros
end
