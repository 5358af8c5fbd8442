-- no KEYS, no ARGV that counts
-- Fails: a server that is too old does not know the command, any other one says that its arguments are missing
return redis.pcall('GETEX')
