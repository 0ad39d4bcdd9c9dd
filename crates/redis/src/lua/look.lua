-- Says what counters hold, and changes nothing.
-- KEYS[i] a counter, see decide.lua
-- ARGV    none
-- Returns the time of day, elapsed time, `ok`, and each key's state; or `foreign` and the number of a key that is not
-- ours.
local _, _, wall_text, steady_text = read_clock()
local reply = { wall_text, steady_text, 'ok' }
for i = 1, #KEYS do
  local state = redis.pcall('HGET', KEYS[i], 's')
  if type(state) == 'table' and state.err then return { reply[1], reply[2], 'foreign', i } end
  reply[3 + i] = state
end
return reply
