-- The frame of every writing script: a call happens once, in time, and is judged as a whole before its first write. The
-- build puts it in front of them, behind packing.lua and validation.lua.
--
-- KEYS   K1, K1:exp, K2, K2:exp ..., then the operation key, unless none is to be written. No key twice.
-- ARGV   deadline_ms (on the server's clock; empty: none), fingerprint, actor, host, reason; then those of each window.
-- reply  { status, server_ms, window... }, all strings, nil where there is none:
--        done             a window: { word, used_before, reset_before, used_after, reset_after, taken,
--                         counter_expires_ms, expiry_expires_ms }. The word is `applied`, or why nothing was written for
--                         that window; the expiries, absolute on the server's clock, are those of what was removed or
--                         replaced.
--        already          this operation has run: the windows as they were answered then; one that was not part of it (a
--                         key that was refused before that call was sent) has the word `other-operation`
--        late             the server's clock is past the deadline; no windows. An earlier call may have been in time.
--        other-operation  the operation key holds anything else; no windows
-- error  NOPERM, ERR unknown command, ERR wrong arguments, and whatever the server has against writes (OOM, READONLY,
--        MISCONF, NOREPLICAS): each before anything is written.
-- cost   a call: TIME, and with an operation key TYPE (GET, where it is there) and SET;
--        a window: 2 TYPE, 2 STRLEN, 2 GET (only TYPE of what is not there).
--
-- The operation key is written when at least one window is: packed, `1`, fingerprint, kind, actor, host, reason,
-- server_ms, number of windows, then of each its key and the eight parts of its answer. It stays for what is left of the
-- longest window written, at least 10 minutes and at most 24 hours; a window without a reset counts as 24 hours.
--
-- run(script)      the reply of a script: { kind = its word, arguments = how many a window has, judge = function,
--                  reads = commands that judge needs beside those above, record_last = true to write the operation key
--                  behind the windows }
-- judge(window, arguments...)
--                  window: { key, expiry, used, reset }, the latter two as stored (false: none). Reads only. Returns the
--                  word of a refusal, or { word (`applied`), used, reset, taken, counter_expires, expiry_expires,
--                  writes = commands }.

local kHead = 5
local kAnswer = 8
local kFormat = '1'
local kRecordHead = 8
local kShortestMs, kLongestMs = 600000, 86400000

local function malformed(script, windows)
    if windows == 0 or #ARGV ~= kHead + windows * script.arguments then return 'ERR wrong number of arguments' end
    if not optional(ARGV[1]) then return 'ERR the deadline is no integer' end
    local seen = {}
    for _, key in ipairs(KEYS) do
        if seen[key] then return 'ERR one key occurs twice in a call' end
        seen[key] = true
    end
end

-- What the operation key says, as a reply about the windows of this call; nil when it is not there.
local function recalled(script, windows)
    local record_key = KEYS[2 * windows + 1]
    local kind = record_key and redis.call('TYPE', record_key).ok or 'none'
    if kind == 'none' then return nil end
    local other = { 'other-operation', decimal(server_ms) }
    local texts = kind == 'string' and texts_of(redis.call('GET', record_key))
    if not texts or texts[1] ~= kFormat or texts[2] ~= ARGV[2] or texts[3] ~= script.kind then return other end
    local held = integer(texts[kRecordHead] or '')
    if not held or #texts ~= kRecordHead + held * (1 + kAnswer) then return other end
    local answers = {}
    for at = kRecordHead + 1, #texts, 1 + kAnswer do answers[texts[at]] = { unpack(texts, at + 1, at + kAnswer) } end
    local reply = { 'already', decimal(server_ms) }
    for i = 1, windows do reply[i + 2] = answers[KEYS[2 * i - 1]] or { 'other-operation' } end
    return reply
end

-- The answer of a window, and the writes that make it true.
local function judged(script, i)
    local window = { key = KEYS[2 * i - 1], expiry = KEYS[2 * i] }
    local used_fault, reset_fault, verdict
    window.used, used_fault = stored(window.key)
    window.reset, reset_fault = stored(window.expiry)
    if used_fault or reset_fault then
        verdict = used_fault or reset_fault
    else
        local first = kHead + (i - 1) * script.arguments + 1
        verdict = script.judge(window, unpack(ARGV, first, first + script.arguments - 1))
    end
    if type(verdict) == 'string' then verdict = { word = verdict } end
    local answer = { verdict.word or 'applied', window.used or false, window.reset or false, verdict.used or false,
        verdict.reset or false, verdict.taken or false, verdict.counter_expires or false, verdict.expiry_expires or false }
    return answer, verdict.writes or {}
end

local function record_of(script, answers)
    local texts = { kFormat, ARGV[2], script.kind, ARGV[3], ARGV[4], ARGV[5], decimal(server_ms), decimal(#answers) }
    local stays_ms = kShortestMs
    for i, answer in ipairs(answers) do
        texts[#texts + 1] = KEYS[2 * i - 1]
        for _, part in ipairs(answer) do texts[#texts + 1] = part end
        if answer[1] == 'applied' then
            local ends = integer(answer[5] or answer[3] or '')
            stays_ms = math.max(stays_ms, ends and ends * 1000 - server_ms or kLongestMs)
        end
    end
    return { 'SET', KEYS[2 * #answers + 1], packed(texts), 'PX', decimal(math.min(stays_ms, kLongestMs)) }
end

local function run(script)
    local windows = math.floor(#KEYS / 2)
    local wrong = malformed(script, windows)
    if wrong then return redis.error_reply(wrong) end
    local refusal = forbidden({ { 'TIME' }, { 'TYPE', KEYS[1] }, { 'STRLEN', KEYS[1] }, { 'GET', KEYS[1] } })
        or forbidden(script.reads or {})
    if refusal then return refusal end

    local time = redis.call('TIME')
    server_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
    if ARGV[1] ~= '' and server_ms > tonumber(ARGV[1]) then return { 'late', decimal(server_ms) } end
    local earlier = recalled(script, windows)
    if earlier then return earlier end

    local reply, answers, writes = { 'done', decimal(server_ms) }, {}, {}
    for i = 1, windows do
        local answer, its_writes = judged(script, i)
        answers[i], reply[i + 2] = answer, answer
        for _, write in ipairs(its_writes) do writes[#writes + 1] = write end
    end
    if #writes == 0 then return reply end
    if #KEYS > 2 * windows then
        table.insert(writes, script.record_last and #writes + 1 or 1, record_of(script, answers))
    end
    refusal = forbidden(writes)
    if refusal then return refusal end
    for _, write in ipairs(writes) do redis.call(unpack(write)) end
    return reply
end
