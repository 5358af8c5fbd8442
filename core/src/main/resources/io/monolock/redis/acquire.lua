-- KEYS lock keys, then a fence key for each when fenced; ARGV token, metadata, ttl in ms, 1 when fenced, 1 when it is a waiter's attempt
-- Takes all lock keys or none
-- Answers 2n when granted, 2n + 1 when re-entered, n being the fencing number or 1; -1 - the longest foreign pttl when busy, 0 when busy for ever
local token, value, ttl, fenced = ARGV[1], ARGV[1] .. ARGV[2], ARGV[3], ARGV[4] == '1'
local locks = fenced and #KEYS / 2 or #KEYS

-- a waiter mostly finds the key held; a tracked read answers that faster than a write that is refused
if ARGV[5] == '1' and locks == 1 and not fenced then
  local pttl = redis.call('PTTL', KEYS[1])
  local held = pttl ~= -2 and redis.call('GETEX', KEYS[1])
  if held and string.sub(held, 1, 22) ~= token then
    return pttl == -1 and 0 or -1 - pttl
  end
end
-- a write comes first: a replica refuses it instead of answering from old data, and only a first write is refused for lack of memory
if locks > 1 or fenced then
  if not string.find(ttl, '^[1-9]%d*$') then
    return redis.error_reply('ERR ttl must be a whole number of milliseconds above 0')
  end
  -- changes nothing
  redis.call('SETRANGE', KEYS[1], 0, '')
elseif redis.call('SET', KEYS[1], value, 'NX', 'PX', ttl) then
  return 2
end

-- GETEX reads without being tracked; PTTL is tracked, so that a waiter is notified of the keys it waits for
local ours, px, busy, forever = 0, {}, nil, false
for i = 1, locks do
  local held = redis.call('GETEX', KEYS[i])
  local pttl = held and redis.call('PTTL', KEYS[i])
  if held and string.sub(held, 1, 22) ~= token then
    busy = math.max(busy or 0, pttl)
    forever = forever or pttl == -1
  elseif held then
    ours = ours + 1
  end
  px[i] = held and pttl > tonumber(ttl) and pttl or ttl
end
if busy then
  return forever and 0 or -1 - busy
end

local number = fenced and 0 or 1
if fenced then
  local repeated = ours == locks
  for i = locks + 1, #KEYS do
    local fence = redis.call('GETEX', KEYS[i])
    local last, owner = string.match(fence or '0 ', '^(%d+) (.*)$')
    if not last then
      return redis.error_reply('FENCE another value where fencing numbers are kept: ' .. KEYS[i])
    end
    repeated = repeated and owner == token and (i == locks + 1 or tonumber(last) == number)
    number = math.max(number, tonumber(last))
  end
  if not repeated then
    local time = redis.call('TIME')
    number = math.max(number + 1, time[1] * 1000000 + time[2])
  end
  if number >= 2 ^ 52 then
    return redis.error_reply('FENCE no fencing numbers left')
  end
  for i = locks + 1, #KEYS do
    redis.call('SET', KEYS[i], string.format('%.0f %s', number, token), 'PX', 86400000)
  end
end
for i = 1, locks do
  redis.call('SET', KEYS[i], value, 'PX', px[i])
end
return 2 * number + (ours > 0 and 1 or 0)
