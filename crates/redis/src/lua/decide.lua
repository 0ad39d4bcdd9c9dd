-- Decides requests in order, each on all of its counters or on none, after settling what is owed.
--
-- KEYS[i] a counter: a hash whose field `s` is its state, beside one mark for each node that has charged it,
--         the latest debit of that node: `<sequence> <at> <q> <r>`
-- ARGV    node, sequence of this call;
--         number of limits, and for each: law, header of its states, a, b, c, d, carries over (1 or 0), ttl in ms;
--         for each key: number of its limit;
--         number of settlements, and for each: key, from, to, sent in, owed q, owed r, back q, back r, back at;
--         number of requests, and for each: number of charges, and for each of these: key, q, r
--
-- law     what a, b, c, d are                                      states              cost
-- bucket  units per µs, µs and rest of a full bucket, period       full at, rest, at   q µs, rest r
-- fixed   capacity, alignment, step                                window, used        q
-- sliding capacity, alignment, step                                window, now, before q
-- log     capacity, period                                         sum, newest …       q
-- Alignment: 0 plain, 1 weeks, 2 months; step: microseconds, or months.
--
-- Returns the time of day, elapsed time, the outcomes as a text of 1 and 0, and each key's state as the
-- requests found it: with all that was settled.
-- Instead of outcomes: `odd` if a state is none that this script knows how to go on from; `stale` if a later call of
-- this node came before; `foreign` and the key's number if a key is not ours. Then nothing has changed.
-- Every number is a whole one below 2^53, where Lua counts exactly.

local fmod, max, min, match, format = math.fmod, math.max, math.min, string.match, string.format
local DAY, EXACT = 86400000000, 9007199254740992
local wall, steady, wall_text, steady_text = read_clock()
local place = 0

local function text()
  place = place + 1
  return ARGV[place]
end

local function number()
  place = place + 1
  return tonumber(ARGV[place])
end

local function div(a, b)
  return (a - fmod(a, b)) / b
end

-- Months since January 1970. Counts from March, so that the leap day is the last of its year.
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
  if limit.b == 2 then return div(month_at(at), limit.c) end
  if limit.b == 1 then return div(at + 3 * DAY, limit.c) end
  return div(at, limit.c)
end

local function start_of(limit, window)
  if limit.b == 2 then return month_start(window * limit.c) end
  if limit.b == 1 then return max(0, window * limit.c - 3 * DAY) end
  return window * limit.c
end

-- A product in three parts of 26 bits and more: the second factor is at most 2^50.
local function product(a, b)
  local base = 67108864
  local a_low, b_low = fmod(a, base), fmod(b, base)
  local a_high, b_high = (a - a_low) / base, (b - b_low) / base
  local left, right, low = a_high * b_low, a_low * b_high, a_low * b_low
  local middle = fmod(left, base) + fmod(right, base) + div(low, base)
  local high = a_high * b_high + div(left, base) + div(right, base) + div(middle, base)
  return high, fmod(middle, base), fmod(low, base)
end

-- Whether a times b is at most c times d.
local function at_most(a, b, c, d)
  local left, right = a * b, c * d
  if left < EXACT and right < EXACT then return left <= right end
  local left_high, left_middle, left_low = product(a, b)
  local right_high, right_middle, right_low = product(c, d)
  if left_high ~= right_high then return left_high < right_high end
  if left_middle ~= right_middle then return left_middle < right_middle end
  return left_low <= right_low
end

local bucket, fixed, sliding, log = {}, {}, {}, {}
local laws = { bucket = bucket, fixed = fixed, sliding = sliding, log = log }

function bucket.read(it, state)
  if not state then
    it.full, it.rest, it.at = steady, 0, steady
    return true
  end
  local full, rest, at = match(state, '^(%d+) (%d+) (%d+)$')
  it.full, it.rest, it.at = tonumber(full), tonumber(rest), tonumber(at)
  return full and it.at - steady <= it.limit.d
end

function bucket.is_fresh(it)
  return it.full < steady or (it.full == steady and it.rest == 0)
end

function bucket.debt(it)
  if it.full < steady then return 0, 0 end
  return it.full - steady, it.rest
end

-- The debt with so much more; nil if that does not fit.
function bucket.after(it, q, r)
  local micros, rest = bucket.debt(it)
  micros, rest = micros + q, rest + r
  if rest >= it.limit.a then micros, rest = micros + 1, rest - it.limit.a end
  return micros, rest
end

function bucket.fits(it, q, r)
  local micros, rest = bucket.after(it, q, r)
  return micros < it.limit.b or (micros == it.limit.b and rest <= it.limit.c)
end

function bucket.add(it, q, r)
  local micros, rest = bucket.after(it, q, r)
  local most = it.limit.b + it.limit.d
  if micros > most then micros, rest = most, 0 end
  it.full, it.rest, it.at = steady + micros, rest, max(it.at, steady)
end

-- Gives back what was taken then, but for what the bucket may have gained by itself since.
function bucket.credit(it, q, r, at)
  q = q - max(0, steady - at)
  if q < 0 or it.full < steady then return end
  local full, rest = it.full - q, it.rest - r
  if rest < 0 then full, rest = full - 1, rest + it.limit.a end
  if full < steady then full, rest = steady, 0 end
  it.full, it.rest = full, rest
end

function bucket.moment()
  return steady
end

function bucket.write(it)
  return format('%.0f %.0f %.0f', it.full, it.rest, it.at)
end

function fixed.read(it, state)
  local window = window_at(it.limit, wall)
  it.window, it.used = window, 0
  if not state then return true end
  local at, used = match(state, '^(%d+) (%d+)$')
  if not at or tonumber(at) > window + 1 then return false end
  if tonumber(at) >= window and tonumber(used) > 0 then it.window, it.used = tonumber(at), tonumber(used) end
  return true
end

function fixed.is_fresh(it)
  return it.used == 0
end

function fixed.fits(it, q)
  return q <= it.limit.a - it.used
end

function fixed.add(it, q)
  it.used = it.used + q
end

function fixed.credit(it, q, _, at)
  if window_at(it.limit, at) == it.window then it.used = max(0, it.used - q) end
end

-- A moment by which what is taken now will be found again.
function fixed.moment(it)
  return start_of(it.limit, it.window)
end

function fixed.write(it)
  return format('%.0f %.0f', it.window, it.used)
end

function sliding.read(it, state)
  local window = window_at(it.limit, wall)
  it.window, it.used, it.before = window, 0, 0
  if state then
    local at, used, before = match(state, '^(%d+) (%d+) (%d+)$')
    at, used, before = tonumber(at), tonumber(used), tonumber(before)
    if not at or at > window + 1 then return false end
    if at >= window and (used > 0 or before > 0) then
      it.window, it.used, it.before = at, used, before
    elseif at + 1 == window then
      it.before = used
    end
  end
  local start, over = start_of(it.limit, it.window), start_of(it.limit, it.window + 1)
  it.length, it.left = over - start, over - max(wall, start)
  return true
end

function sliding.is_fresh(it)
  return it.used == 0 and it.before == 0
end

function sliding.fits(it, q)
  local room = it.limit.a - it.used - q
  return room >= 0 and at_most(it.before, it.left, room, it.length)
end

sliding.add, sliding.credit, sliding.moment = fixed.add, fixed.credit, fixed.moment

function sliding.write(it)
  return format('%.0f %.0f %.0f', it.window, it.used, it.before)
end

-- The newest admission stands before the others, which are oldest first: `<sum> <at> <cost> <at>:<cost>;…`.
function log.read(it, state)
  it.sum, it.newest, it.latest, it.older = 0, 0, 0, ''
  if not state then
    it.now = steady
    return true
  end
  local sum, newest, latest, older = match(state, '^(%d+) (%d+) (%d+) (.*)$')
  if not sum or tonumber(newest) - steady > it.limit.b then return false end
  sum, newest, latest = tonumber(sum), tonumber(newest), tonumber(latest)
  it.now = max(newest, steady)
  if newest + it.limit.b <= it.now then return true end
  local from = 1
  while true do
    local at, cost, next_from = match(older, '^(%d+):(%d+);()', from)
    if not at or at + it.limit.b > it.now then break end
    sum, from = sum - cost, next_from
  end
  it.sum, it.newest, it.latest, it.older = sum, newest, latest, string.sub(older, from)
  return true
end

function log.is_fresh(it)
  return it.sum == 0
end

function log.fits(it, q)
  return q <= it.limit.a - it.sum
end

function log.add(it, q)
  it.sum = it.sum + q
  if it.newest == it.now then
    it.latest = it.latest + q
    return
  end
  if it.latest > 0 then it.older = it.older .. format('%.0f:%.0f;', it.newest, it.latest) end
  it.newest, it.latest = it.now, q
end

-- Takes back what was admitted then, and nothing else: a later admission must not count as an earlier one.
function log.credit(it, q, _, at)
  if it.newest == at then
    q = min(q, it.latest)
    it.latest, it.sum = it.latest - q, it.sum - q
    return
  end
  local entry = format(';%.0f:', at)
  local from, to, cost = string.find(';' .. it.older, entry .. '(%d+);')
  if not from then return end
  q = min(q, tonumber(cost))
  local left = tonumber(cost) - q
  local entry_left = left > 0 and format('%.0f:%.0f;', at, left) or ''
  it.older = string.sub(it.older, 1, from - 1) .. entry_left .. string.sub(it.older, to)
  it.sum = it.sum - q
end

function log.moment(it)
  return it.now
end

function log.write(it)
  return format('%.0f %.0f %.0f %s', it.sum, it.newest, it.latest, it.older)
end

local node, sequence = text(), number()

local limits = {}
for i = 1, number() do
  limits[i] = {
    law = laws[text()], header = text(), a = number(), b = number(), c = number(), d = number(),
    carries = number(), ttl = number(),
  }
end

local counters, reply = {}, { wall_text, steady_text, '' }
local is_odd = false
for i = 1, #KEYS do
  local limit = limits[number()]
  local found = redis.pcall('HMGET', KEYS[i], 's', node)
  if found.err then return { reply[1], reply[2], 'foreign', i } end
  local it = { limit = limit, law = limit.law, q = 0, r = 0 }
  local state = found[1]
  reply[3 + i] = state
  if state then
    local header = limit.header
    if string.sub(state, 1, #header) == header then
      state = string.sub(state, #header + 1)
    else
      is_odd = true
    end
  end
  if not is_odd then is_odd = not it.law.read(it, state) end
  -- A counter that has run out, or was never charged, may have a predecessor to go on from.
  if not is_odd and limit.carries == 1 then is_odd = it.law.is_fresh(it) end
  if found[2] then
    local mark, at, q, r = match(found[2], '^(%d+) (%d+) (%d+) (%d+)$')
    it.mark, it.mark_at, it.mark_q, it.mark_r = tonumber(mark), tonumber(at), tonumber(q), tonumber(r)
    if not mark then return { reply[1], reply[2], 'foreign', i } end
    if it.mark >= sequence then return { reply[1], reply[2], 'stale' } end
  end
  counters[i] = it
end
if is_odd then
  reply[3] = 'odd'
  return reply
end

for _ = 1, number() do
  local key = number()
  local it = counters[key]
  local from, to, sent_in = number(), number(), number()
  local owed_q, owed_r, back_q, back_r, back_at = number(), number(), number(), number(), number()
  local mark = it.mark or 0
  if from > 0 and mark >= from and mark <= to then it.law.credit(it, it.mark_q, it.mark_r, it.mark_at) end
  if sent_in == 0 or mark < sent_in then
    if back_q > 0 or back_r > 0 then it.law.credit(it, back_q, back_r, back_at) end
    if owed_q > 0 or owed_r > 0 then it.law.add(it, owed_q, owed_r) end
  end
  it.is_changed = true
  reply[3 + key] = it.limit.header .. it.law.write(it)
end

local outcomes = {}
for i = 1, number() do
  local first, charges = place + 1, number()
  local fits = true
  for _ = 1, charges do
    local it, q, r = counters[number()], number(), number()
    fits = fits and it.law.fits(it, q, r)
  end
  outcomes[i] = fits and '1' or '0'
  if fits then
    place = first
    for _ = 1, charges do
      local it, q, r = counters[number()], number(), number()
      it.law.add(it, q, r)
      it.q, it.r, it.is_changed = it.q + q, it.r + r, true
      if it.law == bucket and it.r >= it.limit.a then it.q, it.r = it.q + 1, it.r - it.limit.a end
    end
  end
end

for i = 1, #KEYS do
  local it = counters[i]
  if it.is_changed then
    local at = it.law.moment(it)
    local mark = format('%.0f %.0f %.0f %.0f', sequence, at, it.q, it.r)
    redis.call('HSET', KEYS[i], 's', it.limit.header .. it.law.write(it), node, mark)
    expire(KEYS[i], it.limit.ttl)
  end
end

reply[3] = table.concat(outcomes)
return reply
