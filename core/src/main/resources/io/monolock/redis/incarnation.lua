-- KEYS one key, where the server keeps since when it has forgotten nothing; ARGV 1 when it is to count as one that never has
-- Answers the replication id of the server, and for how long it has forgotten nothing in ms
-- the id changes when a server starts and when a replica becomes the primary: what it has then may lack what came last
local id = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- GETEX only reads, but counts as a write: a replica refuses it instead of answering from old data
local begun, owner = string.match(redis.call('GETEX', KEYS[1]) or '', '^(%d+) (%w+)$')
if owner ~= id or ARGV[1] == '1' then
  begun = ARGV[1] == '1' and '0' or string.format('%.0f', now)
  redis.call('SET', KEYS[1], begun .. ' ' .. id, 'PX', 31536000000)
elseif redis.call('PTTL', KEYS[1]) < 15768000000 then
  redis.call('PEXPIRE', KEYS[1], 31536000000)
end
return {id, math.max(0, math.floor((now - begun) / 1000))}
