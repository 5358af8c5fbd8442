-- KEYS one key, where the server keeps since when it has forgotten nothing
-- Answers the run id of the server, when it began to keep what it keeps, and how long ago that is in ms
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- GETEX only reads, but counts as a write: a replica refuses it instead of answering from old data
local begun, owner = string.match(redis.call('GETEX', KEYS[1]) or '', '^(%d+) (%w+)$')
if owner ~= run then
  -- restarted, or emptied; what it has loaded may lack what came last
  begun = string.format('%.0f', now)
  redis.call('SET', KEYS[1], begun .. ' ' .. run, 'PX', 31536000000)
elseif redis.call('PTTL', KEYS[1]) < 15768000000 then
  redis.call('PEXPIRE', KEYS[1], 31536000000)
end
return {run, begun, math.max(0, math.floor((now - begun) / 1000))}
