-- Decides requests in order, each on all of its counters or on none, after settling what is owed.
--
-- KEYS[i] a counter: a hash whose field `s` is its state, beside one mark for each node that has charged it,
--         the latest debit of that node: `<sequence> <at> <q> <r>`
-- ARGV    node, sequence of this call;
--         number of limits, and for each: law, header of its states, a, b, c, d, carries over (1 or 0), ttl in ms;
--         for each key: number of its limit;
--         number of settlements, and for each: key, from, to, sent in, owed q, owed r, back q, back r, back at;
--         number of kinds of requests, and for each: how many in a row, number of charges, and for each of these:
--         key, q, r
--
-- law       what a, b, c, d are                                   x, y, z of a state    cost
-- 1 bucket  units per µs, µs and rest of a full bucket, period    full at, rest, at     q µs, rest r
-- 2 fixed   capacity, alignment, step                             window, used          q
-- 3 sliding capacity, alignment, step                             window, used, before  q
-- 4 log     capacity, period                                      sum, newest, its cost q
-- Alignment: 0 plain, 1 weeks, 2 months; step: microseconds, or months.
--
-- Returns the time of day, elapsed time, the outcomes as a text of 1 and 0, and each key's state as the
-- requests found it: with all that was settled.
-- Instead of outcomes: `odd` and the numbers of keys whose states are none that this script knows how to go on from;
-- `stale` if a later call of this node came before; `foreign` and the key's number if a key is not ours. Then nothing
-- has changed.
-- Every number is a whole one below 2^53, where Lua counts exactly; `%d` prints all of its digits on servers of 64 bits.

-- Nothing but what is used in every call is a function here: each is made anew for each call.

local fmod, max, match, format = math.fmod, math.max, string.match, string.format
local DAY, EXACT = 86400000000, 9007199254740992
local BUCKET, FIXED, SLIDING, LOG = 1, 2, 3, 4
local wall, steady, wall_text, steady_text = read_clock()
local reply = { wall_text, steady_text, '' }
local node, sequence = ARGV[1], tonumber(ARGV[2])
local place = 3

-- Limits, by number.
local law, header, a, b, c, d, carries, ttl = {}, {}, {}, {}, {}, {}, {}, {}
-- The present window of those that have one.
local window = {}
-- Counters, by number of their key: limit, state, and the admissions of a log but for the newest, oldest first.
local of, x, y, z, older = {}, {}, {}, {}, {}
-- Of sliding windows: length, and what is left of the window.
local length, left = {}, {}
-- The window or moment of its last change: an expiry that was set then is good for a while.
local last = {}
-- What is taken in this call, and whether the state has changed.
local q_taken, r_taken, is_changed = {}, {}, {}

local function div(n, by)
  return (n - fmod(n, by)) / by
end

-- Months since January 1970, and the first microsecond of such a month. Both count from March, so that the leap day
-- is the last of its year.
local function month_at(micros)
  local day = div(micros, DAY) + 719468
  local era = div(day, 146097)
  day = fmod(day, 146097)
  local year = div(day - div(day, 1460) + div(day, 36524) - div(day, 146096), 365)
  local day_of_year = day - (365 * year + div(year, 4) - div(year, 100))
  return (era * 400 + year) * 12 + div(5 * day_of_year + 2, 153) + 2 - 23640
end

local function month_start(month)
  local from_march = month + 23640 - 2
  local year = div(from_march, 12)
  local era = div(year, 400)
  local day_of_year = div(153 * fmod(from_march, 12) + 2, 5)
  year = fmod(year, 400)
  return (era * 146097 + year * 365 + div(year, 4) - div(year, 100) + day_of_year - 719468) * DAY
end

local function window_at(limit, at)
  if b[limit] == 0 then return div(at, c[limit]) end
  if b[limit] == 1 then return div(at + 3 * DAY, c[limit]) end
  return div(month_at(at), c[limit])
end

local function start_of(limit, number)
  if b[limit] == 0 then return number * c[limit] end
  if b[limit] == 1 then return max(0, number * c[limit] - 3 * DAY) end
  return month_start(number * c[limit])
end

-- A product in three parts, of 26 bits each but for the highest: the second factor is at most 2^50.
local function product(m, n)
  local base = 67108864
  local m_low, n_low = fmod(m, base), fmod(n, base)
  local m_high, n_high = (m - m_low) / base, (n - n_low) / base
  local one, other, low = m_high * n_low, m_low * n_high, m_low * n_low
  local middle = fmod(one, base) + fmod(other, base) + div(low, base)
  local high = m_high * n_high + div(one, base) + div(other, base) + div(middle, base)
  return high, fmod(middle, base), fmod(low, base)
end

-- Reads the state of a counter, without its header; false if it is none to go on from.
local function read(i, limit, state)
  if law[limit] == BUCKET then
    if not state then
      x[i], y[i], z[i] = steady, 0, steady
      return true
    end
    local full, rest, at = match(state, '^(%d+) (%d+) (%d+)$')
    x[i], y[i], z[i] = tonumber(full), tonumber(rest), tonumber(at)
    last[i] = z[i]
    return full and z[i] - steady <= d[limit]
  end
  if law[limit] == LOG then
    x[i], y[i], z[i], older[i] = 0, 0, 0, ''
    if not state then return true end
    local sum, newest, cost, others = match(state, '^(%d+) (%d+) (%d+) (.*)$')
    sum, newest, cost = tonumber(sum), tonumber(newest), tonumber(cost)
    if not sum or newest - steady > b[limit] then return false end
    last[i] = newest
    local now, from = max(newest, steady), 1
    if newest + b[limit] <= now then return true end
    while true do
      local at, its, next_from = match(others, '^(%d+):(%d+);()', from)
      if not at or at + b[limit] > now then break end
      sum, from = sum - its, next_from
    end
    x[i], y[i], z[i], older[i] = sum, newest, cost, string.sub(others, from)
    return true
  end
  local present = window[limit]
  x[i], y[i], z[i] = present, 0, 0
  if state then
    local at, used, before = match(state, '^(%d+) (%d+) ?(%d*)$')
    at, used, before = tonumber(at), tonumber(used), tonumber(before) or 0
    if not at or at > present + 1 then return false end
    last[i] = at
    if at >= present and (used > 0 or before > 0) then
      x[i], y[i], z[i] = at, used, before
    elseif at + 1 == present and law[limit] == SLIDING then
      z[i] = used
    end
  end
  if z[i] > 0 then
    local start, over = start_of(limit, x[i]), start_of(limit, x[i] + 1)
    length[i], left[i] = over - start, over - max(wall, start)
  end
  return true
end

-- Whether the counter decides like one that nobody has charged.
local function is_fresh(i, limit)
  if law[limit] == BUCKET then return x[i] < steady or (x[i] == steady and y[i] == 0) end
  if law[limit] == LOG then return x[i] == 0 end
  return y[i] == 0 and z[i] == 0
end

local function fits(i, q, r)
  local limit = of[i]
  if law[limit] == BUCKET then
    local micros, rest = x[i] - steady + q, y[i] + r
    if x[i] < steady then micros, rest = q, r end
    if rest >= a[limit] then micros, rest = micros + 1, rest - a[limit] end
    return micros < b[limit] or (micros == b[limit] and rest <= c[limit])
  end
  if law[limit] == LOG then return q <= a[limit] - x[i] end
  local room = a[limit] - y[i] - q
  if room < 0 or z[i] == 0 then return room >= 0 end
  -- The window before counts by what is left of this one: before * left / length <= room, without a division.
  local one, other = z[i] * left[i], room * length[i]
  if one < EXACT and other < EXACT then return one <= other end
  local one_high, one_middle, one_low = product(z[i], left[i])
  local other_high, other_middle, other_low = product(room, length[i])
  if one_high ~= other_high then return one_high < other_high end
  if one_middle ~= other_middle then return one_middle < other_middle end
  return one_low <= other_low
end

local function add(i, q, r)
  local limit = of[i]
  is_changed[i] = true
  if law[limit] == BUCKET then
    if x[i] < steady then x[i], y[i] = steady, 0 end
    local full, rest = x[i] + q, y[i] + r
    if rest >= a[limit] then full, rest = full + 1, rest - a[limit] end
    local most = steady + b[limit] + d[limit]
    if full > most then full, rest = most, 0 end
    x[i], y[i], z[i] = full, rest, max(z[i], steady)
  elseif law[limit] == LOG then
    x[i] = x[i] + q
    local now = max(y[i], steady)
    if y[i] == now then
      z[i] = z[i] + q
    else
      if z[i] > 0 then older[i] = older[i] .. format('%d:%d;', y[i], z[i]) end
      y[i], z[i] = now, q
    end
  else
    y[i] = y[i] + q
  end
end

-- Adds what a request takes, and remembers it for the mark.
local function take(i, q, r)
  add(i, q, r)
  q_taken[i], r_taken[i] = q_taken[i] + q, r_taken[i] + r
  local limit = of[i]
  if law[limit] == BUCKET and r_taken[i] >= a[limit] then
    q_taken[i], r_taken[i] = q_taken[i] + 1, r_taken[i] - a[limit]
  end
end

-- Forgets nodes that have not charged the counter for as long as it would have lived without them.
local function forget_nodes(key, milliseconds)
  local fields = redis.call('HGETALL', key)
  for j = 1, #fields, 2 do
    local at = fields[j] ~= 's' and match(fields[j + 1], '^%d+ (%d+)')
    if at and at + milliseconds * 1000 < steady then redis.call('HDEL', key, fields[j]) end
  end
end

local function write(i, limit)
  if law[limit] == FIXED then return format('%s%d %d', header[limit], x[i], y[i]) end
  if law[limit] == LOG then return format('%s%d %d %d %s', header[limit], x[i], y[i], z[i], older[i]) end
  return format('%s%d %d %d', header[limit], x[i], y[i], z[i])
end

for limit = 1, tonumber(ARGV[place]) do
  law[limit], header[limit] = tonumber(ARGV[place + 1]), ARGV[place + 2]
  a[limit], b[limit] = tonumber(ARGV[place + 3]), tonumber(ARGV[place + 4])
  c[limit], d[limit] = tonumber(ARGV[place + 5]), tonumber(ARGV[place + 6])
  carries[limit], ttl[limit] = ARGV[place + 7] == '1', tonumber(ARGV[place + 8])
  if law[limit] == FIXED or law[limit] == SLIDING then window[limit] = window_at(limit, wall) end
  place = place + 8
end

local odd, marks = {}, {}
for i = 1, #KEYS do
  local limit = tonumber(ARGV[place + i])
  local found = redis.pcall('HMGET', KEYS[i], 's', node)
  if found.err then return { wall_text, steady_text, 'foreign', i } end
  local state, mark = found[1], found[2]
  of[i], q_taken[i], r_taken[i], reply[3 + i] = limit, 0, 0, state
  if mark then
    local latest = tonumber(match(mark, '^%d+'))
    if not latest then return { wall_text, steady_text, 'foreign', i } end
    if latest >= sequence then return { wall_text, steady_text, 'stale' } end
    marks[i] = mark
  end
  local is_known, size = true, #header[limit]
  if state then
    is_known = string.sub(state, 1, size) == header[limit]
    state = string.sub(state, size + 1)
  end
  is_known = is_known and read(i, limit, state)
  -- A counter that has run out, or was never charged, may have a predecessor to go on from.
  if not is_known or (carries[limit] and is_fresh(i, limit)) then odd[#odd + 1] = i end
end
place = place + #KEYS + 1
if #odd > 0 then
  reply[3] = 'odd ' .. table.concat(odd, ' ')
  return reply
end

local settlements = tonumber(ARGV[place])
if settlements > 0 then
  -- Gives back what was taken at a moment, and nothing else.
  local function credit(i, q, r, at)
    local limit = of[i]
    if law[limit] == BUCKET then
      -- Not what the bucket may have gained by itself since.
      q = q - max(0, steady - at)
      if q < 0 or x[i] < steady then return end
      local full, rest = x[i] - q, y[i] - r
      if rest < 0 then full, rest = full - 1, rest + a[limit] end
      if full < steady then full, rest = steady, 0 end
      x[i], y[i] = full, rest
    elseif law[limit] == LOG then
      -- A later admission must not count as an earlier one: only that of then is taken back.
      if y[i] == at then
        q = math.min(q, z[i])
        x[i], z[i] = x[i] - q, z[i] - q
        if z[i] == 0 then
          -- The one before is the newest now.
          local others, its_at, its_cost = match(older[i], '^(.*;)(%d+):(%d+);$')
          if not others then its_at, its_cost = match(older[i], '^(%d+):(%d+);$') end
          y[i], z[i], older[i] = tonumber(its_at) or 0, tonumber(its_cost) or 0, others or ''
        end
        return
      end
      local from, to, cost = string.find(';' .. older[i], format(';%d:', at) .. '(%d+);')
      if not from then return end
      q = math.min(q, tonumber(cost))
      local rest = cost - q > 0 and format('%d:%d;', at, cost - q) or ''
      older[i] = string.sub(older[i], 1, from - 1) .. rest .. string.sub(older[i], to)
      x[i] = x[i] - q
    elseif window_at(limit, at) == x[i] then
      y[i] = max(0, y[i] - q)
    elseif law[limit] == SLIDING and window_at(limit, at) + 1 == x[i] then
      z[i] = max(0, z[i] - q)
    end
  end
  local n = {}
  for _ = 1, settlements do
    for j = 1, 9 do n[j] = tonumber(ARGV[place + j]) end
    place = place + 9
    local i, from, to, sent_in, owed_q, owed_r, back_q, back_r, back_at = unpack(n)
    local latest, at, q, r = match(marks[i] or '0 0 0 0', '^(%d+) (%d+) (%d+) (%d+)$')
    latest = tonumber(latest) or 0
    if from > 0 and latest >= from and latest <= to then credit(i, tonumber(q), tonumber(r), tonumber(at)) end
    if sent_in == 0 or latest < sent_in then
      if back_q > 0 or back_r > 0 then credit(i, back_q, back_r, back_at) end
      if owed_q > 0 or owed_r > 0 then add(i, owed_q, owed_r) end
    end
    is_changed[i] = true
    reply[3 + i] = write(i, of[i])
  end
end

local outcomes, decided = {}, 0
local kinds = tonumber(ARGV[place + 1])
place = place + 1
for _ = 1, kinds do
  local times, charges, first = tonumber(ARGV[place + 1]), tonumber(ARGV[place + 2]), place + 3
  place = place + 2 + 3 * charges
  local i, q, r = tonumber(ARGV[first]), tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2])
  for _ = 1, times do
    local all_fit = charges == 0 or fits(i, q, r)
    for at = first + 3, place, 3 do
      all_fit = all_fit and fits(tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]))
    end
    decided = decided + 1
    if all_fit then
      outcomes[decided] = '1'
      if charges > 0 then take(i, q, r) end
      for at = first + 3, place, 3 do
        take(tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]))
      end
    else
      outcomes[decided] = '0'
    end
  end
end

for i = 1, #KEYS do
  if is_changed[i] then
    local limit = of[i]
    -- A moment by which what was taken will be found again, and one that tells whether the expiry is due again.
    local at, due = steady, true
    if law[limit] == LOG then
      local quarter = ttl[limit] * 250
      at, due = y[i], not last[i] or div(last[i], quarter) ~= div(steady, quarter)
    elseif law[limit] ~= BUCKET then
      at, due = start_of(limit, x[i]), last[i] ~= x[i]
    end
    local mark = format('%s %d %d %d', ARGV[2], at, q_taken[i], r_taken[i])
    redis.call('HSET', KEYS[i], 's', write(i, limit), node, mark)
    -- What a bucket lives depends on its burst, which may have changed.
    if due then expire(KEYS[i], ttl[limit]) end
    if sequence % 64 == 0 and redis.call('HLEN', KEYS[i]) > 64 then forget_nodes(KEYS[i], ttl[limit]) end
  end
end

reply[3] = table.concat(outcomes)
return reply
