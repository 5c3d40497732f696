-- LEASE: who governs a throttle, and what that governor has to remember: taken, kept, given back or looked at in one
-- step, so that two never govern one throttle.
--
-- KEYS   the governor's key
-- ARGV   verb (`take`, `keep`, `free`, `reserve`, `look`), token of this run, actor, host, for how many milliseconds,
--        what is to be remembered (empty: what is there)
-- reply  { word, server_ms, token, actor, host, since_ms, until_ms, memory }, all strings: `held` (by this token),
--        `other` (by another one, told behind it; nothing was written), `free` (by none), or `odd` (the key holds what
--        no governor writes; nothing was written). Behind it what stands now.
-- cost   TIME, TYPE, GET, and but for `look` one SET. The key lives for 30 days after its last write.
--
-- take     another run's lease has to be over. What an actor has reserved on a host is theirs alone until then.
-- keep     as long as no other run has taken it; a lease that is over and was not taken goes on.
-- free     ends the lease, reserve ends the run and leaves the throttle to this actor on this host until its time.

local call = redis.call
local kLives = '2592000000'
local verb, token, actor, host, length, memory = unpack(ARGV)

local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local kind = call('TYPE', KEYS[1]).ok
local stored = kind == 'string' and texts_of(call('GET', KEYS[1])) or {}
local function answer(word)
    local texts = { word, string.format('%d', now) }
    for i = 2, 7 do texts[i + 1] = stored[i] or '' end
    return texts
end
if kind ~= 'none' and (stored[1] ~= '1' or #stored ~= 7 or not tonumber(stored[6])) then
    stored = {}
    return answer('odd')
end

local is_over = kind == 'none' or tonumber(stored[6]) <= now
local is_mine = kind ~= 'none' and stored[2] == token and token ~= ''
local is_reserved_for_me = kind ~= 'none' and stored[2] == '' and stored[3] == actor and stored[4] == host
if verb == 'look' then return answer(is_over and 'free' or 'other') end
if verb == 'take' and not (is_over or is_mine or is_reserved_for_me) then return answer('other') end
if verb ~= 'take' and not is_mine then return answer(is_over and 'free' or 'other') end

local until_ms = now + tonumber(length)
if verb == 'free' then until_ms = now end
local since = (is_mine or is_reserved_for_me) and stored[5] or string.format('%d', now)
local remembered = memory ~= '' and memory or stored[7] or ''
local run = (verb == 'free' or verb == 'reserve') and '' or token
stored = { '1', run, actor, host, since, string.format('%d', until_ms), remembered }
local texts = {}
for i = 1, 7 do texts[i] = packed(stored[i]) end
call('SET', KEYS[1], table.concat(texts), 'PX', kLives)
return answer('held')
