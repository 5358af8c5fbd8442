-- KEYS one key
-- Deletes the key, whatever its token: 1, or 0 if it was free; a value that is no lock is an error
local value = redis.call('GETEX', KEYS[1])
if not value then
  return 0
end
-- a lock has a ttl, or begins with a token
if redis.call('PTTL', KEYS[1]) == -1 and not string.find(string.sub(value, 1, 22), '^' .. string.rep('[%w_-]', 22)) then
  return redis.error_reply('NOLOCK the key has no ttl, and its value does not begin with a token')
end
return redis.call('DEL', KEYS[1])
