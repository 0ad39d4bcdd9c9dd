-- Puts states in the place of those that were read, if all of them are still there.
-- KEYS[i] a counter, see decide.lua
-- ARGV    node, sequence of this call; for each key: `=` and the state that was read, `-` if there was none, or `*` for
--         any; `=` and the state to be, `-` for none, or `.` to leave it; ttl in ms
-- Returns the time of day, elapsed time, and `ok`; or `changed` and each key's state; or `stale` or `foreign` as
-- decide.lua.
local _, _, wall_text, steady_text = read_clock()
local reply = { wall_text, steady_text, 'ok' }
local node, sequence = ARGV[1], tonumber(ARGV[2])
for i = 1, #KEYS do
  local found = redis.pcall('HMGET', KEYS[i], 's', node)
  if found.err then return { reply[1], reply[2], 'foreign', i } end
  local mark = found[2] and string.match(found[2], '^%d+') or '0'
  if tonumber(mark) >= sequence then return { reply[1], reply[2], 'stale' } end
  local expected = ARGV[3 * i]
  if expected ~= '*' and expected ~= (found[1] and '=' .. found[1] or '-') then reply[3] = 'changed' end
  reply[3 + i] = found[1]
end
if reply[3] == 'changed' then return reply end
-- The mark stays that of the last debit by decide.lua: it tells whether that has happened.
for i = 1, #KEYS do
  local state = ARGV[3 * i + 1]
  if state == '-' then
    redis.call('DEL', KEYS[i])
  elseif state ~= '.' then
    redis.call('HSET', KEYS[i], 's', string.sub(state, 2))
    redis.call('HDEL', KEYS[i], '?')
    expire(KEYS[i], ARGV[3 * i + 2])
  end
end
return { reply[1], reply[2], 'ok' }
