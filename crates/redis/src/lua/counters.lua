-- What decide.lua and lease.lua have in common: limits, counters, and the leases on them. KEYS and ARGV: see there.
--
-- A counter is a hash whose field `s` is its state, beside one mark for each node that has charged it:
-- `<sequence> <at> <q> <r> <lease> <total>`, the latest debit of that node by decide.lua, its latest call of lease.lua, and
-- all that it has ever taken less what it gave back. A field `?` says that the counter was lost, and that only some of
-- those who may have spent of it have told.
--
-- law       what a, b, c, d are                                   x, y, z of a state    cost
-- 1 bucket  units per µs, µs and rest of a full bucket, period    full at, rest, at     q µs, rest r
-- 2 fixed   capacity, alignment, step                             window, used          q
-- 3 sliding capacity, alignment, step                             window, used, before  q
-- 4 log     capacity, period                                      sum, newest, its cost q
-- Alignment: 0 plain, 1 weeks, 2 months; step: microseconds, or months.
--
-- After the numbers of a state: `|`, and for each node that holds a part of what was taken
-- `<node> <sequence> <until> <tokens> <granted>;`. Until then those tokens may be spent. A bucket gains nothing in their
-- place: its debt is never less than what is out.
--
-- Every number is a whole one below 2^53, where Lua counts exactly; `%d` prints all of its digits on servers of 64 bits.

-- Nothing but what is used in nearly every call is a function here: each is made anew for each call.

local fmod, max, min, match, format = math.fmod, math.max, math.min, string.match, string.format
local DAY, EXACT = 86400000000, 9007199254740992
local BUCKET, FIXED, SLIDING, LOG = 1, 2, 3, 4
local wall, steady, wall_text, steady_text = read_clock()

-- Limits, by number.
local law, header, a, b, c, d, carries, ttl = {}, {}, {}, {}, {}, {}, {}, {}
-- The present window of those that have one.
local window = {}
-- Counters, by number of their key: limit, state, and the admissions of a log but for the newest, oldest first.
local of, x, y, z, older = {}, {}, {}, {}, {}
-- Of sliding windows: length, and what is left of the window; at its first microsecond as at its second.
local length, left = {}, {}
-- The window or moment of its last change: an expiry that was set then is good for a while.
local last = {}
-- The leases on it as text, and those of a bucket one by one.
local lease_text, leases = {}, {}

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

-- At a moment the debt of a bucket is at least what is out: it gains nothing in the place of tokens that may be spent yet.
local function hold(i, limit, at, tokens)
  local units = tokens * tonumber(match(header[limit], '/(%d+)'))
  local rest = fmod(units, a[limit])
  local full = at + min((units - rest) / a[limit], b[limit])
  if x[i] < full or (x[i] == full and y[i] < rest) then x[i], y[i] = full, rest end
end

-- The leases of a text, the first to end first.
local function parse_leases(text)
  local found = {}
  for holder, number, till, tokens, granted in string.gmatch(text, '(%S+) (%d+) (%d+) (%d+) (%d+);') do
    found[#found + 1] = {
      node = holder, sequence = tonumber(number), till = tonumber(till), tokens = tonumber(tokens),
      granted = tonumber(granted),
    }
  end
  table.sort(found, function(one, other) return one.till < other.till end)
  return found
end

local function lease_line(lease)
  return format('%s %d %d %d %d;', lease.node, lease.sequence, lease.till, lease.tokens, lease.granted)
end

-- Lets leases end in the order of time: until each does, the bucket gains no more than there was room for.
local function replay_leases(i, limit, text)
  local live, out = {}, 0
  local found = parse_leases(text)
  for j = 1, #found do out = out + found[j].tokens end
  for j = 1, #found do
    local lease = found[j]
    if lease.till <= steady then
      hold(i, limit, lease.till, out)
      out = out - lease.tokens
    else
      live[#live + 1] = lease
    end
  end
  hold(i, limit, steady, out)
  leases[i], lease_text[i] = live, ''
  for j = 1, #live do lease_text[i] = lease_text[i] .. lease_line(live[j]) end
end

-- Reads the state of a counter, without its header; false if it is none to go on from.
local function read(i, limit, state)
  if law[limit] == BUCKET then
    if not state then
      x[i], y[i], z[i] = steady, 0, steady
      return true
    end
    local full, rest, at, held = match(state, '^(%d+) (%d+) (%d+)|?(.*)$')
    x[i], y[i], z[i] = tonumber(full), tonumber(rest), tonumber(at)
    last[i] = z[i]
    if not full or z[i] - steady > d[limit] then return false end
    if held ~= '' then replay_leases(i, limit, held) end
    return true
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
    local at, used, before, held = match(state, '^(%d+) (%d+) ?(%d*)|?(.*)$')
    at, used, before = tonumber(at), tonumber(used), tonumber(before) or 0
    if not at or at > present + 1 then return false end
    last[i] = at
    if at >= present and (used > 0 or before > 0) then
      x[i], y[i], z[i] = at, used, before
    elseif at + 1 == present and law[limit] == SLIDING then
      z[i] = used
    end
    -- Leases end with their window.
    if at == x[i] and held ~= '' then lease_text[i] = held end
  end
  if z[i] > 0 then
    local start, over = start_of(limit, x[i]), start_of(limit, x[i] + 1)
    length[i], left[i] = over - start, min(over - wall, over - start - 1)
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
  -- The window before counts by what is left of this one, rounded down: before * left / length < room + 1, without a
  -- division.
  local one, other = z[i] * left[i], (room + 1) * length[i]
  if one < EXACT and other < EXACT then return one < other end
  local one_high, one_middle, one_low = product(z[i], left[i])
  local other_high, other_middle, other_low = product(room + 1, length[i])
  if one_high ~= other_high then return one_high < other_high end
  if one_middle ~= other_middle then return one_middle < other_middle end
  return one_low < other_low
end

local function add(i, q, r)
  local limit = of[i]
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

-- Forgets nodes that have not charged the counter for as long as it would have lived without them, and hold none of it.
local function forget_nodes(key, milliseconds, held)
  local fields = redis.call('HGETALL', key)
  for j = 1, #fields, 2 do
    local at = fields[j] ~= 's' and match(fields[j + 1], '^%d+ (%d+)')
    local is_silent = at and at + milliseconds * 1000 < steady
    if is_silent and not string.find(held, fields[j] .. ' ', 1, true) then redis.call('HDEL', key, fields[j]) end
  end
end

local function write(i, limit)
  if law[limit] == LOG then return format('%s%d %d %d %s', header[limit], x[i], y[i], z[i], older[i]) end
  local text
  if law[limit] == FIXED then
    text = format('%s%d %d', header[limit], x[i], y[i])
  else
    text = format('%s%d %d %d', header[limit], x[i], y[i], z[i])
  end
  if lease_text[i] and lease_text[i] ~= '' then text = text .. '|' .. lease_text[i] end
  return text
end

-- Whether what was lost of a counter that is not there could still count.
local function may_be_lost(limit, since)
  if since == 0 then return false end
  if law[limit] == BUCKET or law[limit] == LOG then return steady < since + b[limit] end
  local lost_in = window_at(limit, since)
  if law[limit] == SLIDING then lost_in = lost_in + 1 end
  return lost_in >= window[limit]
end

-- Takes the state of a counter apart; false if it is none to go on from.
local function open(i, limit, state)
  of[i] = limit
  if not state then return read(i, limit, nil) end
  local size = #header[limit]
  return string.sub(state, 1, size) == header[limit] and read(i, limit, string.sub(state, size + 1))
end

-- Reads limits from a place of ARGV on, and says where they end.
local function read_limits(place)
  for limit = 1, tonumber(ARGV[place]) do
    law[limit], header[limit] = tonumber(ARGV[place + 1]), ARGV[place + 2]
    a[limit], b[limit] = tonumber(ARGV[place + 3]), tonumber(ARGV[place + 4])
    c[limit], d[limit] = tonumber(ARGV[place + 5]), tonumber(ARGV[place + 6])
    carries[limit], ttl[limit] = ARGV[place + 7] == '1', tonumber(ARGV[place + 8])
    if law[limit] == FIXED or law[limit] == SLIDING then window[limit] = window_at(limit, wall) end
    place = place + 8
  end
  return place
end
