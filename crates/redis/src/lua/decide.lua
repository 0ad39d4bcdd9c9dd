-- Decides requests in order, each on all of its counters or on none, after settling what is owed.
--
-- KEYS[i] a counter, see counters.lua
-- ARGV    node, sequence of this call, since when counters that are not there may be lost ones (0 if they are not);
--         number of limits, and for each: law, header of its states, a, b, c, d, carries over (1 or 0), ttl in ms;
--         for each key: number of its limit;
--         number of settlements, and for each: key, from, to, sent in, owed q, owed r, back q, back r, back at, told
--         again at;
--         number of kinds of requests, and for each: how many in a row, number of charges, and for each of these:
--         key, q, r
--
-- Returns the time of day, elapsed time, the outcomes as a text of 1 and 0, each key's state as the requests found it
-- (with all that was settled), and each key's total of this node.
-- Instead of outcomes: `odd` and the numbers of keys whose states are none that this script knows how to go on from;
-- `unknown` and those that may have been lost; `stale` if a later call of this node came before; `foreign` and the key's
-- number if a key is not ours. Then nothing has changed.

local reply = { wall_text, steady_text, '' }
local node, sequence, since = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
-- What is taken in this call, the node's last lease, what it has taken in all, and whether the state has changed.
local q_taken, r_taken, leased, total, is_changed = {}, {}, {}, {}, {}

-- Adds what a request takes, and remembers it for the mark.
local function take(i, q, r)
  add(i, q, r)
  is_changed[i] = true
  q_taken[i], r_taken[i] = q_taken[i] + q, r_taken[i] + r
  local limit = of[i]
  if law[limit] == BUCKET and r_taken[i] >= a[limit] then
    q_taken[i], r_taken[i] = q_taken[i] + 1, r_taken[i] - a[limit]
  end
end

local place = read_limits(4)
local odd, lost, marks = {}, {}, {}
for i = 1, #KEYS do
  local limit = tonumber(ARGV[place + i])
  local found = redis.pcall('HMGET', KEYS[i], 's', node, '?')
  if found.err then return { wall_text, steady_text, 'foreign', i } end
  local state, mark = found[1], found[2]
  q_taken[i], r_taken[i], total[i], reply[3 + i] = 0, 0, 0, state
  if mark then
    local latest, lease, all = match(mark, '^(%d+) .* (%d+) (%d+)$')
    if not latest then return { wall_text, steady_text, 'foreign', i } end
    if tonumber(latest) >= sequence then return { wall_text, steady_text, 'stale' } end
    marks[i], leased[i], total[i] = mark, lease, tonumber(all)
  end
  if (not state or found[3]) and may_be_lost(limit, since) then lost[#lost + 1] = i end
  -- A counter that has run out, or was never charged, may have a predecessor to go on from.
  if not open(i, limit, state) or (carries[limit] and is_fresh(i, limit)) then odd[#odd + 1] = i end
  -- A bucket is found as its leases leave it.
  if leases[i] then reply[3 + i] = write(i, limit) end
end
place = place + #KEYS + 1
if #lost > 0 then
  -- Whoever tells what it has spent of a counter makes it known.
  local told, unknown = {}, {}
  for at = place, place + 10 * (tonumber(ARGV[place]) - 1), 10 do
    if ARGV[at + 5] ~= '0' or ARGV[at + 6] ~= '0' then told[tonumber(ARGV[at + 1])] = true end
  end
  for _, i in ipairs(lost) do
    if not told[i] then unknown[#unknown + 1] = i end
  end
  if #unknown > 0 then
    reply[3] = 'unknown ' .. table.concat(unknown, ' ')
    return reply
  end
end
if #odd > 0 then
  reply[3] = 'odd ' .. table.concat(odd, ' ')
  return reply
end
for _, i in ipairs(lost) do redis.call('HDEL', KEYS[i], '?') end

local settlements = tonumber(ARGV[place])
if settlements > 0 then
  -- Takes an admission out of a log, and says whether it was there. A later one must not count as an earlier one: only
  -- that of the moment is taken out.
  local function take_back(i, q, at)
    if y[i] == at then
      q = min(q, z[i])
      x[i], z[i], total[i] = x[i] - q, z[i] - q, max(0, total[i] - q)
      if z[i] == 0 then
        -- The one before is the newest now.
        local others, its_at, its_cost = match(older[i], '^(.*;)(%d+):(%d+);$')
        if not others then its_at, its_cost = match(older[i], '^(%d+):(%d+);$') end
        y[i], z[i], older[i] = tonumber(its_at) or 0, tonumber(its_cost) or 0, others or ''
      end
      return true
    end
    local from, to, cost = string.find(';' .. older[i], format(';%d:', at) .. '(%d+);')
    if not from then return false end
    q = min(q, tonumber(cost))
    total[i] = max(0, total[i] - q)
    local rest = cost - q > 0 and format('%d:%d;', at, cost - q) or ''
    older[i] = string.sub(older[i], 1, from - 1) .. rest .. string.sub(older[i], to)
    x[i] = x[i] - q
    return true
  end
  -- Gives back what was taken at a moment, and nothing else.
  local function credit(i, q, r, at, again_at)
    local limit, out = of[i], 0
    for _, lease in ipairs(leases[i] or parse_leases(lease_text[i] or '')) do
      if lease.till > steady then out = out + lease.tokens end
    end
    if law[limit] == BUCKET then
      -- Not what the bucket may have gained by itself since, nor what is out.
      q = q - max(0, steady - at)
      if q < 0 or x[i] < steady then return end
      total[i] = max(0, total[i] - q)
      local full, rest = x[i] - q, y[i] - r
      if rest < 0 then full, rest = full - 1, rest + a[limit] end
      if full < steady then full, rest = steady, 0 end
      x[i], y[i] = full, rest
      if out > 0 then hold(i, limit, steady, out) end
    elseif law[limit] == LOG then
      -- What was lost and told again counts as of the moment when it was told.
      if not take_back(i, q, at) and again_at > at then take_back(i, q, again_at) end
    elseif window_at(limit, at) == x[i] then
      -- What is out stays taken.
      y[i], total[i] = max(out, y[i] - q), max(0, total[i] - q)
    elseif law[limit] == SLIDING and window_at(limit, at) + 1 == x[i] then
      z[i], total[i] = max(0, z[i] - q), max(0, total[i] - q)
    end
  end
  local n = {}
  for _ = 1, settlements do
    for j = 1, 10 do n[j] = tonumber(ARGV[place + j]) end
    place = place + 10
    local i, from, to, sent_in, owed_q, owed_r, back_q, back_r, back_at, again_at = unpack(n)
    local latest, at, q, r = match(marks[i] or '0 0 0 0 0', '^(%d+) (%d+) (%d+) (%d+)')
    latest = tonumber(latest) or 0
    if from > 0 and latest >= from and latest <= to then credit(i, tonumber(q), tonumber(r), tonumber(at), 0) end
    if sent_in == 0 or latest < sent_in then
      if back_q > 0 or back_r > 0 then credit(i, back_q, back_r, back_at, again_at) end
      if owed_q > 0 or owed_r > 0 then
        add(i, owed_q, owed_r)
        total[i] = total[i] + owed_q + (owed_r > 0 and 1 or 0)
      end
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
    total[i] = total[i] + q_taken[i] + (r_taken[i] > 0 and 1 or 0)
    local mark = format('%s %d %d %d %s %d', ARGV[2], at, q_taken[i], r_taken[i], leased[i] or '0', total[i])
    redis.call('HSET', KEYS[i], 's', write(i, limit), node, mark)
    -- What a bucket lives depends on its burst, which may have changed.
    if due then expire(KEYS[i], ttl[limit]) end
    if sequence % 64 == 0 and redis.call('HLEN', KEYS[i]) > 64 then forget_nodes(KEYS[i], ttl[limit], lease_text[i] or '') end
  end
  reply[3 + #KEYS + i] = format('%d', total[i])
end

reply[3] = table.concat(outcomes)
return reply
