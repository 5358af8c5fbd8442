-- KEYS lock keys; ARGV token, time in ms to keep the keys for, if they are not to be deleted
-- Frees all keys: 1, or 0 with nothing changed unless every key carries the token
local token, keep = ARGV[1], ARGV[2] ~= '0' and ARGV[2]
if keep and not string.find(keep, '^%d+$') then
  return redis.error_reply('ERR time to keep must be a whole number of milliseconds, 0 or more')
end

-- GETEX only reads, but counts as a write: a replica refuses it instead of answering from old data
for i = 1, #KEYS do
  if string.sub(redis.call('GETEX', KEYS[i]) or '', 1, 22) ~= token then
    return 0
  end
end
for i = 1, #KEYS do
  if keep then
    redis.call('PEXPIRE', KEYS[i], keep)
  else
    redis.call('DEL', KEYS[i])
  end
end
return 1
