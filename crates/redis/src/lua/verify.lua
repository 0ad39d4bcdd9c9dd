-- Adds up what nodes have really admitted of sampled counters, and tells where that is more than the law allows.
--
-- KEYS[i] the sum of a counter: a hash whose field `v` is
--         `<mark> <closed> <full> <seen> <slot>:<amount>;…`: of which limit; the last slot that takes no more; of buckets
--         when all of those slots together would be full again; when it was last changed; the amounts by slot, in order
-- ARGV    length of a bucket's slot in µs, how much later than its slot something may have been admitted, how many slots
--         of a bucket stay open; number of limits, each as in counters.lua; for each key: number of its limit, 1 to
--         forget everything until now or 0, number of slots, and for each of these: slot, amount
--
-- A slot is a window, or a part of the time of a bucket. An amount is in units, for buckets in µs.
-- Returns for each key: '' | `over <amount> <most> <slot>` | `foreign`.
--
-- Nothing is told that is not certain: amounts that are missing, because their node is late or gone, only make sums
-- smaller. What was admitted in a bucket's slot counts as if at its beginning, which makes its debt smaller.

local SLOT, LATE, OPEN = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local place = read_limits(4)
local reply, found = {}, {}
for i = 1, #KEYS do
  found[i] = redis.pcall('HGET', KEYS[i], 'v')
end

-- The slots of a text, in order.
local function slots_of(text)
  local slots = {}
  for slot, amount in string.gmatch(text, '(%d+):(%d+);') do
    slots[#slots + 1] = { at = tonumber(slot), amount = tonumber(amount) }
  end
  return slots
end

local function add_to(slots, slot, amount)
  local at = #slots
  while at > 0 and slots[at].at > slot do at = at - 1 end
  if at > 0 and slots[at].at == slot then
    slots[at].amount = slots[at].amount + amount
  else
    table.insert(slots, at + 1, { at = slot, amount = amount })
  end
end

-- The slot in which more was admitted than may be, how much, and how much might.
local function judge_bucket(limit, slots, full)
  local most = b[limit] + (c[limit] > 0 and 1 or 0)
  for j = 1, #slots do
    local start = slots[j].at * SLOT
    full = max(full, start) + slots[j].amount
    if full - start > most + SLOT + LATE then return slots[j].at, full - start, most end
  end
end

local function judge_window(limit, slots)
  for j = 1, #slots do
    local slot, amount = slots[j].at, slots[j].amount
    if law[limit] == SLIDING and slot == window[limit] and j > 1 and slots[j - 1].at == slot - 1 then
      -- The last admission was at this moment or before, when the window before counted for more.
      local start, over = start_of(limit, slot), start_of(limit, slot + 1)
      local before, length_of = slots[j - 1].amount, over - start
      local left = max(0, min(over - wall, length_of - 1))
      if before * left < EXACT then
        amount = amount + div(before * left, length_of)
      else
        -- Rather a bit less than too much.
        amount = amount + math.floor(before * (left / length_of) * (1 - 1e-12))
      end
    end
    if amount > a[limit] then return slot, amount, a[limit] end
  end
end

for i = 1, #KEYS do
  local limit, is_anew, count = tonumber(ARGV[place + 1]), ARGV[place + 2] == '1', tonumber(ARGV[place + 3])
  place = place + 3
  local is_bucket = law[limit] == BUCKET
  local now = is_bucket and steady or wall
  local present = is_bucket and div(steady, SLOT) or window[limit]
  local mark = format('%s/%d', match(header[limit], '^%S+'), is_bucket and b[limit] or a[limit])
  local closed, full, seen, slots = 0, 0, 0, {}
  if found[i] and not found[i].err then
    local its, its_closed, its_full, its_seen, text = match(found[i], '^(%S+) (%d+) (%d+) (%d+) (.*)$')
    if its == mark then
      closed, full, seen, slots = tonumber(its_closed), tonumber(its_full), tonumber(its_seen), slots_of(text)
    end
  end
  -- Whoever changes a counter by hand, or sets the clock back, changes what may be admitted.
  local last = #slots > 0 and slots[#slots].at or present
  if now < seen then is_anew, last = true, max(last, is_bucket and div(seen, SLOT) or window_at(limit, seen)) end
  local forget_through = max(present, last) + (is_bucket and div(LATE, SLOT) + 1 or 1)
  if is_anew then closed, full, slots = max(closed, forget_through), 0, {} end
  for j = 1, count do
    local slot, amount = tonumber(ARGV[place + 2 * j - 1]), tonumber(ARGV[place + 2 * j])
    if slot > closed and slot <= present + 1 then add_to(slots, slot, amount) end
  end
  place = place + 2 * count
  local slot, amount, most
  if is_bucket then
    slot, amount, most = judge_bucket(limit, slots, full)
  else
    slot, amount, most = judge_window(limit, slots)
  end
  reply[i] = ''
  if slot then
    reply[i] = format('over %d %d %d', amount, most, slot)
    -- Told once.
    closed, full, slots = forget_through, 0, {}
  end
  -- What is long over takes no more.
  while #slots > 0 and slots[1].at < present - (is_bucket and OPEN or 2) do
    local oldest = table.remove(slots, 1)
    closed = max(closed, oldest.at)
    if is_bucket then full = max(full, oldest.at * SLOT) + oldest.amount end
  end
  if found[i] and found[i].err then
    reply[i] = 'foreign'
  else
    local text = ''
    for j = 1, #slots do text = text .. format('%d:%d;', slots[j].at, slots[j].amount) end
    redis.call('HSET', KEYS[i], 'v', format('%s %d %d %d %s', mark, closed, full, max(now, seen), text))
    expire(KEYS[i], max(ttl[limit], 60000))
  end
end
return reply
