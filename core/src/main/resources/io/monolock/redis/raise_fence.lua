-- KEYS lock keys, then a fence key for each; ARGV token, number
-- Makes all stored fencing numbers at least the number: 1, or 0 with nothing changed unless every lock key carries the token
local token, number, locks = ARGV[1], tonumber(ARGV[2]), #KEYS / 2
if not string.find(ARGV[2], '^%d+$') or number >= 2 ^ 52 then
  return redis.error_reply('FENCE number must be a whole number below 2^52')
end

-- GETEX only reads, but counts as a write: a replica refuses it instead of answering from old data
for i = 1, locks do
  if string.sub(redis.call('GETEX', KEYS[i]) or '', 1, 22) ~= token then
    return 0
  end
end
local lower = {}
for i = locks + 1, #KEYS do
  local last = string.match(redis.call('GETEX', KEYS[i]) or '0 ', '^(%d+) ')
  if not last then
    return redis.error_reply('FENCE another value where fencing numbers are kept: ' .. KEYS[i])
  end
  if tonumber(last) < number then
    table.insert(lower, i)
  end
end
for _, i in ipairs(lower) do
  redis.call('SET', KEYS[i], string.format('%.0f %s', number, token), 'PX', 86400000)
end
return 1
