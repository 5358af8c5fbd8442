-- KEYS lock keys; ARGV token, time in ms to keep the keys for instead of deleting them, or 0
-- Frees all keys: 1, or 0 with nothing changed unless every key carries the token
local token, keep = ARGV[1], ARGV[2]
if not string.find(keep, '^%d+$') then
  return redis.error_reply('ERR time to keep must be a whole number of milliseconds, 0 or more')
end

-- GETEX only reads, but counts as a write: a replica refuses it instead of answering from the past
for _, key in ipairs(KEYS) do
  if string.sub(redis.call('GETEX', key) or '', 1, 22) ~= token then
    return 0
  end
end
for _, key in ipairs(KEYS) do
  if tonumber(keep) > 0 then
    redis.call('PEXPIRE', key, keep)
  else
    redis.call('DEL', key)
  end
end
return 1
