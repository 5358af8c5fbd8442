-- KEYS one key; ARGV how many bytes of its value to answer at most
-- The pttl of the key (-1 never expires, -2 free), and its value if that is a string
local pttl = redis.call('PTTL', KEYS[1])
if redis.call('TYPE', KEYS[1]).ok ~= 'string' then
  return {pttl}
end
return {pttl, redis.call('GETRANGE', KEYS[1], 0, ARGV[1] - 1)}
