"""What a group does with one stream, as scripts, so that nobody trims the stream between two steps of it.

KEYS of each: the stream, and its marks. ARGV begins with the name of the group. Beside how many entries the stream ever
got (``added``) the marks say how many of them a group has passed, and how many of those were gone before it came:
Redis before version 7 knows neither.
"""

# Where a group stands: the last entry that it was given; nil where there is no such group.
_LAST_GIVEN = """
local function last_given(stream, group)
  local groups = redis.pcall('XINFO', 'GROUPS', stream)
  if groups.err then return nil end
  for _, info in ipairs(groups) do
    local of = {}
    for i = 1, #info, 2 do of[info[i]] = info[i + 1] end
    if of['name'] == group then return of['last-delivered-id'] end
  end
end
local given = last_given(KEYS[1], ARGV[1])
"""
_OF_GROUP = f"""
{_LAST_GIVEN}
if not given then return redis.error_reply('NOGROUP no group ' .. ARGV[1] .. ' for ' .. KEYS[1]) end
"""

# Makes the group before the first entry, unless it exists. What was trimmed before is none of its losses. It looks
# first, since a server whose memory is full makes no group, not even one that is there.
ENSURE = f"""
{_LAST_GIVEN}
if given then return 0 end
redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
local added = tonumber(redis.call('HGET', KEYS[2], 'added') or 0)
redis.call('HSET', KEYS[2], 'passed:' .. ARGV[1], math.max(0, added - redis.call('XLEN', KEYS[1])))
return 1
"""

# Entries as a flat list of id and click: a client reads that in half the time. Whatever has no click is empty.
_FLAT = """
local function flat(out, entries)
  for i = 1, #entries do
    local entry = entries[i]
    if entry and entry[2] then
      local click = ''
      for j = 1, #entry[2], 2 do if entry[2][j] == 'c' then click = entry[2][j + 1] end end
      out[#out + 1] = entry[1]
      out[#out + 1] = click
    end
  end
  return out
end
"""

# ARGV: group, consumer, entries at most. Gives new entries to the consumer. Before it, while nothing that was given
# is in the stream any more, whatever is missing between what was given and what is left was lost to the group.
# Returns how many were lost, then the entries.
READ = f"""
{_OF_GROUP}
{_FLAT}
local passed, lost = 'passed:' .. ARGV[1], 0
if #redis.call('XRANGE', KEYS[1], '-', given, 'COUNT', 1) == 0 then
  local added = tonumber(redis.call('HGET', KEYS[2], 'added') or 0)
  lost = math.max(0, added - redis.call('XLEN', KEYS[1]) - tonumber(redis.call('HGET', KEYS[2], passed) or 0))
end
local new = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', ARGV[3], 'STREAMS', KEYS[1], '>')
local entries = new and new[1] and new[1][2] or {{}}
if lost + #entries > 0 then redis.call('HINCRBY', KEYS[2], passed, lost + #entries) end
if lost > 0 then redis.call('HINCRBY', KEYS[2], 'lost:' .. ARGV[1], lost) end
return flat({{lost}}, entries)
"""

# ARGV: group, consumer, entries at most, milliseconds. Takes over what others were given so long ago and have not
# acknowledged. What was trimmed meanwhile nobody can read: it is acknowledged and counted as lost. Redis 7 has done the
# first by itself; before, it gives no id, and only what the stream really has no more may go.
CLAIM = f"""
{_OF_GROUP}
{_FLAT}
local claimed = redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[4], '0-0', 'COUNT', ARGV[3])
local lost, gone = claimed[3] and #claimed[3] or 0, false
for i = 1, #claimed[2] do if not (claimed[2][i] and claimed[2][i][2]) then gone = true end end
if gone then
  for _, held in ipairs(redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', ARGV[3], ARGV[2])) do
    if #redis.call('XRANGE', KEYS[1], held[1], held[1]) == 0 then
      lost = lost + redis.call('XACK', KEYS[1], ARGV[1], held[1])
    end
  end
end
if lost > 0 then redis.call('HINCRBY', KEYS[2], 'lost:' .. ARGV[1], lost) end
return flat({{lost}}, claimed[2])
"""

# ARGV: group, consumer or nothing, milliseconds. Removes the consumer, or all that have been silent for so long: those
# that hold nothing, since what they hold would go with them.
FORGET = f"""
{_OF_GROUP}
local removed = 0
for _, info in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local of = {{}}
  for i = 1, #info, 2 do of[info[i]] = info[i + 1] end
  if of['pending'] == 0 and (of['name'] == ARGV[2] or (ARGV[2] == '' and of['idle'] >= tonumber(ARGV[3]))) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], of['name'])
    removed = removed + 1
  end
end
return removed
"""

# ARGV: group. Returns entries not given to anybody yet, entries given and not acknowledged, entries lost so far.
LOOK = f"""
{_OF_GROUP}
local added = tonumber(redis.call('HGET', KEYS[2], 'added') or 0)
local passed = tonumber(redis.call('HGET', KEYS[2], 'passed:' .. ARGV[1]) or 0)
local lost = tonumber(redis.call('HGET', KEYS[2], 'lost:' .. ARGV[1]) or 0)
return {{math.max(0, added - passed), redis.call('XPENDING', KEYS[1], ARGV[1])[1], lost}}
"""
