-- KEYS lock keys, then a fence key for each when fenced; ARGV holder's token, next token, its metadata, ttl in ms, 1 when fenced else 0
-- Hands all lock keys from the holder to the next one
-- Answers the fencing number, 1 when unfenced; 0 with nothing changed unless every key carries the holder's token
local from, to, ttl, fenced = ARGV[1], ARGV[2], ARGV[4], ARGV[5] == '1'
local locks = fenced and #KEYS / 2 or #KEYS

if not string.find(ttl, '^[1-9]%d*$') then
  return redis.error_reply('ERR ttl must be a whole number of milliseconds above 0')
end
-- GETEX only reads, but counts as a write: a replica refuses it instead of answering from old data
for i = 1, locks do
  if string.sub(redis.call('GETEX', KEYS[i]) or '', 1, 22) ~= from then
    return 0
  end
end

local number = 1
if fenced then
  local time = redis.call('TIME')
  number = time[1] * 1000000 + time[2]
  for i = locks + 1, #KEYS do
    local last = string.match(redis.call('GETEX', KEYS[i]) or '0 ', '^(%d+) ')
    if not last then
      return redis.error_reply('FENCE another value where fencing numbers are kept: ' .. KEYS[i])
    end
    number = math.max(number, last + 1)
  end
  if number >= 2 ^ 52 then
    return redis.error_reply('FENCE no fencing numbers left')
  end
  for i = locks + 1, #KEYS do
    redis.call('SET', KEYS[i], string.format('%.0f %s', number, to), 'PX', 86400000)
  end
end
for i = 1, locks do
  redis.call('SET', KEYS[i], to .. ARGV[3], 'PX', ttl)
end
return number
