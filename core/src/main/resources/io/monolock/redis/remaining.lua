-- KEYS lock keys; ARGV token
-- The shortest time to live of the keys in ms: 0 unless every key carries the token and has a time to live
local shortest = math.huge
for i = 1, #KEYS do
  -- GETEX only reads, but counts as a write: a replica refuses it instead of answering from old data
  if string.sub(redis.call('GETEX', KEYS[i]) or '', 1, 22) ~= ARGV[1] then
    return 0
  end
  shortest = math.min(shortest, redis.call('PTTL', KEYS[i]))
end
return math.max(shortest, 0)
