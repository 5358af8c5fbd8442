-- KEYS lock keys; ARGV token
-- Reads for a waiter whether it could take all keys, and takes none
-- Answers 1 when it could; -1 - the longest foreign pttl when busy, 0 when busy for ever
local busy, forever = nil, false
for i = 1, #KEYS do
  -- GETEX only reads, but counts as a write: a replica refuses it instead of answering from old data
  local held = redis.call('GETEX', KEYS[i])
  -- PTTL is tracked, also of a free key, which another client may take before the waiter does
  local pttl = redis.call('PTTL', KEYS[i])
  if held and string.sub(held, 1, 22) ~= ARGV[1] then
    busy = math.max(busy or 0, pttl)
    forever = forever or pttl == -1
  end
end
if busy then
  return forever and 0 or -1 - busy
end
return 1
