-- KEYS one key; ARGV how many bytes of its value to answer at most
-- The pttl of the key (-1 never expires, -2 free), and its value if that is a string
-- GETEX only reads, but counts as a write: a replica refuses it instead of answering from old data
local value = redis.pcall('GETEX', KEYS[1])
local refused = type(value) == 'table' and value.err
if refused and not string.find(refused, 'WRONGTYPE', 1, true) then
  return value
end
local pttl = redis.call('PTTL', KEYS[1])
if type(value) ~= 'string' then
  return {pttl}
end
return {pttl, string.sub(value, 1, tonumber(ARGV[1]))}
