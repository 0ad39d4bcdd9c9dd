-- What every script of ours begins with. KEYS none. ARGV none.
-- The time is this server's, in microseconds since 1970: whoever asks is never believed about it.
local function read_clock()
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  local text = string.format('%d', micros)
  return micros, micros, text, text
end
local function expire(key, milliseconds)
  redis.call('PEXPIRE', key, milliseconds)
end
