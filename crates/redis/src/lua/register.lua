-- Enters a process into the register of this server, and says who is in it.
--
-- KEYS[1] the register, a hash: `l` who this server was when it was last written to; `t` the term, that is when it was
--         first known that counters may be lost, 0 if it never was; and one field for each process:
--         `<first seen> <last seen> <awaited> <told> <gap> <life>`. Awaited and told are terms: a process that is awaited
--         in the present one may have spent what was lost, until it has told all that it knows. Its gap is the last
--         moment of which it does not know all (0 if there is none), its life how long what it spends may count.
-- ARGV    process; who this server is ('' if it does not say); whether the process has been here before (`known`), knows
--         that another was here before (`heir`), that others of the fleet came before it (`late`), or nothing (`new`); a
--         term that it knows of; the term for which it has told all that it knows, and the gap in that; the life; `trust`
--         if none is awaited any longer; the number of processes that have ended and for which it has told too, in the
--         same term, and for each its name and gap;
--         and for each other process that it knows of: name, time since it was last seen, life. Times are in µs.
--
-- Returns the time, the term, and name and entry of each process.

local now = read_clock()
local me, server, manner, trust = ARGV[1], ARGV[2], ARGV[3], ARGV[8]
local known_term, told, gap, life = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
-- More processes than these are not told apart once they have been silent for so long: none of them will ever tell.
local APART_MAX, SILENT, CROWD = 256, 60000000, '~'

local fields = redis.call('HGETALL', KEYS[1])
local was, term, entries, count = nil, 0, {}, 0
for i = 1, #fields, 2 do
  local name, value = fields[i], fields[i + 1]
  if name == 'l' then
    was = value
  elseif name == 't' then
    term = tonumber(value) or 0
  else
    local first, last, awaited, its_told, its_gap, its_life = string.match(value, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+)')
    if first then
      entries[name] = {
        tonumber(first), tonumber(last), tonumber(awaited), tonumber(its_told), tonumber(its_gap), tonumber(its_life),
        value,
      }
      count = count + 1
    end
  end
end

local opens = manner == 'heir' and (term == 0 or was ~= server or server == '')
opens = opens or (manner == 'new' and was and server ~= '' and was ~= server)
-- Where others came before and there is no register, it was lost.
opens = opens or (manner == 'late' and (not was or (server ~= '' and was ~= server)))
if opens then
  term = math.max(now, term + 1)
  for _, entry in pairs(entries) do entry[3] = term end
end
term = math.max(term, known_term)

-- Those that only others know may have spent before the term began.
local ended = tonumber(ARGV[9])
for at = 10 + 2 * ended, #ARGV, 3 do
  local name, last, its_life = ARGV[at], math.max(0, now - tonumber(ARGV[at + 1])), tonumber(ARGV[at + 2])
  local entry = entries[name]
  if not entry then
    entries[name] = { last, last, term, 0, 0, its_life }
    count = count + 1
  else
    entry[2], entry[6] = math.max(entry[2], last), math.max(entry[6], its_life)
  end
end
local mine = entries[me]
if not mine then
  mine = { now, now, 0, 0, 0, 0 }
  entries[me] = mine
  count = count + 1
  if opens or manner == 'known' or manner == 'heir' then mine[3] = term end
end
mine[2], mine[6] = now, math.max(mine[6], life)
if told > 0 and told == term then
  mine[4], mine[5] = told, gap
  for at = 10, 9 + 2 * ended, 2 do
    local entry = entries[ARGV[at]]
    if entry then entry[4], entry[5] = told, tonumber(ARGV[at + 1]) end
  end
end
if trust == 'trust' then
  for _, entry in pairs(entries) do entry[4], entry[5] = term, 0 end
end

local crowd, longest = nil, 0
for _, entry in pairs(entries) do longest = math.max(longest, entry[6]) end
for name, entry in pairs(entries) do
  local is_over = entry[2] + longest < now and entry[2] + SILENT < now
  local is_merged = count > APART_MAX and entry[2] + SILENT < now and name ~= CROWD and name ~= me
  if is_merged and entry[4] ~= term then
    crowd = crowd or { entry[1], entry[2], 0, 0, 0, 0 }
    for j = 2, 6 do crowd[j] = math.max(crowd[j], entry[j]) end
    crowd[4] = 0
  end
  if is_over or is_merged then
    entries[name] = nil
    redis.call('HDEL', KEYS[1], name)
  end
end
if crowd then
  local entry = entries[CROWD] or crowd
  for j = 2, 6 do entry[j] = math.max(entry[j], crowd[j]) end
  entry[4] = 0
  entries[CROWD] = entry
end

local reply, keep = { string.format('%d', now), string.format('%d', term) }, SILENT
redis.call('HSET', KEYS[1], 'l', server ~= '' and server or was or '', 't', reply[2])
for name, entry in pairs(entries) do
  local text = string.format('%d %d %d %d %d %d', unpack(entry, 1, 6))
  if text ~= entry[7] then redis.call('HSET', KEYS[1], name, text) end
  reply[#reply + 1], reply[#reply + 2] = name, text
  keep = math.max(keep, entry[2] + longest - now)
end
expire(KEYS[1], string.format('%d', math.ceil(keep / 1000) + 1000))
return reply
