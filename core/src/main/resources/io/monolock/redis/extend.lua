-- KEYS lock keys; ARGV token, ttl in ms
-- Makes all keys live for at least the ttl: 1, or 0 with nothing changed unless every key carries the token
local token, ttl = ARGV[1], ARGV[2]
if not string.find(ttl, '^[1-9]%d*$') then
  return redis.error_reply('ERR ttl must be a whole number of milliseconds above 0')
end

-- GETEX only reads, but counts as a write: a replica refuses it instead of answering from old data
for i = 1, #KEYS do
  if string.sub(redis.call('GETEX', KEYS[i]) or '', 1, 22) ~= token then
    return 0
  end
end
for i = 1, #KEYS do
  if redis.call('PTTL', KEYS[i]) < tonumber(ttl) then
    redis.call('PEXPIRE', KEYS[i], ttl)
  end
end
return 1
