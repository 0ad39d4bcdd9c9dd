-- Settles the leases of a node and grants new ones, each key on its own.
--
-- KEYS[i] a counter, see counters.lua
-- ARGV    node, since when counters that are not there may be lost ones (0 if they are not);
--         number of limits, and for each as in decide.lua;
--         for each key: number of its limit; sequence of this call; sequence of the call before, tokens that were spent
--         since then and tokens that are returned; tokens that are wanted, the fewest and the most that are of use, and
--         how long they are to live, in µs; the total that the node last heard of (0 if that is not to be asserted), how
--         much of it was taken in the window of a moment and in the one before, and the moment
--
-- Returns the time of day, elapsed time, and a text for each key:
--   `ok` or `collapse` (too little is left for leases), and: whether the lease before was known, granted tokens, how
--   long they live, tokens that are left, time until there are any, time until the counter is fresh, tokens that others
--   hold, holders, the node's total, and what of it had been lost;
--   or `odd`, `unknown`, `foreign` as in decide.lua, or `stale` if a later call of the node came before, or
--   this one, and its lease has ended.
--
-- A token leaves the pool when it is granted: whatever happens to its holder, it cannot be granted again. Only what its
-- holder gives up before it says so comes back, and only while the lease lives.

local reply = { wall_text, steady_text }
local node, since = ARGV[1], tonumber(ARGV[2])
local NUMBERS = 13

-- What can be granted.
local function available(i, limit)
  if law[limit] == BUCKET then
    local debt = 0
    if x[i] >= steady then debt = (x[i] - steady) * a[limit] + y[i] end
    local units = b[limit] * a[limit] + c[limit] - debt
    return max(0, div(units, tonumber(match(header[limit], '/(%d+)'))))
  end
  if law[limit] == LOG then return max(0, a[limit] - x[i]) end
  local room = max(0, a[limit] - y[i])
  if law[limit] == FIXED or z[i] == 0 then return room end
  -- Nearly that, and the last few by trying.
  room = max(0, math.floor(room - z[i] * (left[i] / length[i])))
  while room > 0 and not fits(i, room, 0) do room = room - 1 end
  while fits(i, room + 1, 0) do room = room + 1 end
  return room
end

-- Takes tokens, and counts them for the node.
local function debit(i, limit, tokens)
  if law[limit] ~= BUCKET then
    add(i, tokens, 0)
    return tokens
  end
  local units = tokens * tonumber(match(header[limit], '/(%d+)'))
  local rest = fmod(units, a[limit])
  local micros = (units - rest) / a[limit]
  add(i, micros, rest)
  return micros + (rest > 0 and 1 or 0)
end

-- Gives tokens back; a bucket keeps room for what is out.
local function credit(i, limit, tokens, out)
  if law[limit] ~= BUCKET then
    tokens = min(tokens, max(0, y[i] - out))
    y[i] = y[i] - tokens
    return tokens
  end
  local units = tokens * tonumber(match(header[limit], '/(%d+)'))
  local rest = fmod(units, a[limit])
  local micros = (units - rest) / a[limit]
  if x[i] < steady then return 0 end
  x[i], y[i] = x[i] - micros, y[i] - rest
  if y[i] < 0 then x[i], y[i] = x[i] - 1, y[i] + a[limit] end
  hold(i, limit, steady, out)
  return micros
end

-- Takes what the node had taken before and this server has lost.
local function assert_total(i, limit, lost, present, before, at)
  if law[limit] == BUCKET or law[limit] == LOG then
    add(i, min(lost, present), 0)
    return
  end
  local counted_in = window_at(limit, at)
  local here = min(lost, present)
  local earlier = min(lost - here, before)
  if counted_in >= x[i] then
    y[i] = y[i] + here
    if law[limit] == SLIDING then z[i] = z[i] + earlier end
  elseif counted_in + 1 == x[i] and law[limit] == SLIDING then
    z[i] = z[i] + here
  end
  if z[i] > 0 then
    local start, over = start_of(limit, x[i]), start_of(limit, x[i] + 1)
    length[i], left[i] = over - start, min(over - wall, over - start - 1)
  end
end

-- Time until the counter is fresh, and until there is a token.
local function times(i, limit, tokens)
  -- Logs are not leased, and only asserted.
  if law[limit] == LOG then return 0, 0 end
  if law[limit] ~= BUCKET then
    local over = start_of(limit, x[i] + 1) - wall
    return over, tokens > 0 and 0 or over
  end
  local reset = max(0, x[i] - steady + (y[i] > 0 and 1 or 0))
  if tokens > 0 then return reset, 0 end
  local debt = (x[i] - steady) * a[limit] + y[i]
  local excess = debt + tonumber(match(header[limit], '/(%d+)')) - b[limit] * a[limit] - c[limit]
  return reset, div(excess + a[limit] - 1, a[limit])
end

local function serve(i, n)
  local limit, sequence, previous, spent, returned, want, least, most, life, known, present, before, at = unpack(n)
  local found = redis.pcall('HMGET', KEYS[i], 's', node, '?')
  if found.err then return 'foreign' end
  local state, mark, is_partial = found[1], found[2], found[3]
  local latest, marked_at, q, r, leased, total = match(mark or '0 0 0 0 0 0', '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  if not latest then return 'foreign' end
  if (not state or is_partial) and known == 0 and may_be_lost(limit, since) then return 'unknown' end
  if not open(i, limit, state) or (carries[limit] and is_fresh(i, limit)) then return 'odd' end
  total = tonumber(total)
  local is_changed, lost = state ~= false, max(0, known - total)
  if lost > 0 then
    assert_total(i, limit, lost, present, before, at)
    total, is_changed = known, true
  end

  local live, mine, out = {}, nil, 0
  for _, lease in ipairs(leases[i] or parse_leases(lease_text[i] or '')) do
    if lease.node == node then
      if lease.till > steady then mine = lease end
    elseif lease.till > steady then
      live[#live + 1] = lease
      out = out + lease.tokens
    end
  end
  local holders = #live + 1
  local word, kept, granted = 'ok', 0, 0
  leased = tonumber(leased)
  -- Nor does a call count that came before and whose lease has ended: it would be granted twice.
  if leased > sequence or (leased == sequence and not mine) then return 'stale' end
  if mine and mine.sequence == sequence then
    -- What was said then, as far as it makes a difference: a lease that holds no more than its last grant kept nothing.
    kept, granted = mine.tokens > mine.granted and 1 or 0, mine.granted
    if granted == 0 and want > 0 and law[limit] ~= BUCKET then word = 'collapse' end
  else
    local tokens = 0
    if mine and mine.sequence == previous then
      kept = 1
      tokens = max(0, mine.tokens - spent)
      returned = min(returned, tokens)
      tokens = tokens - returned
      total = max(0, total - credit(i, limit, returned, out + tokens))
    end
    local there = available(i, limit)
    if want > 0 and law[limit] ~= BUCKET and there < 2 * holders * least then
      word = 'collapse'
    else
      granted = min(want, max(least, div(there, 2 * holders)), most, there)
      total = total + debit(i, limit, granted)
    end
    -- The record outlives its leases: with it they would be forgotten while they may be spent.
    life = min(life, ttl[limit] * 500)
    if law[limit] == FIXED or law[limit] == SLIDING then life = min(life, start_of(limit, x[i] + 1) - wall) end
    -- What stays with its holder never ends earlier than it was told before.
    local till = max(steady + life, kept == 1 and mine.till or 0)
    if law[limit] == FIXED or law[limit] == SLIDING then till = min(till, steady + start_of(limit, x[i] + 1) - wall) end
    mine = { node = node, sequence = sequence, till = till, tokens = tokens + granted, granted = granted }
  end
  if mine.tokens > 0 or want > 0 then live[#live + 1] = mine end
  lease_text[i] = ''
  for _, lease in ipairs(live) do lease_text[i] = lease_text[i] .. lease_line(lease) end

  -- Whoever only gives back makes no counter of one that is not there.
  if is_changed or #live > 0 then
    if latest == '0' then marked_at = steady end
    mark = format('%s %d %s %s %d %d', latest, marked_at, q, r, sequence, total)
    redis.call('HSET', KEYS[i], 's', write(i, limit), node, mark)
    -- What one node tells of a counter that was lost is not all of it while others are awaited.
    if not state and known > 0 and since > 0 then redis.call('HSET', KEYS[i], '?', ARGV[2]) end
    expire(KEYS[i], ttl[limit])
  end
  local there = available(i, limit)
  local reset, wait = times(i, limit, there)
  return format('%s %d %d %d %d %d %d %d %d %d %d', word, kept, granted, max(0, mine.till - steady), there, wait, reset,
    out, holders, total, lost)
end

local place = read_limits(3)
for i = 1, #KEYS do
  local n = {}
  for j = 1, NUMBERS do n[j] = tonumber(ARGV[place + j]) end
  place = place + NUMBERS
  reply[2 + i] = serve(i, n)
end
return reply
