-- KEYS one key
-- Deletes the key, whatever its token: 1, or 0 if it was free; a value that is no string is an error
if redis.call('GETEX', KEYS[1]) then
  return redis.call('DEL', KEYS[1])
end
return 0
