-- The frame of every writing script: a call happens once, in time, and is judged as a whole before its first write. The
-- build puts it in front of them, behind packing.lua and validation.lua.
--
-- KEYS   the keys of the first window, of the second ..., then the operation key, unless none is to be written; of an
--        undo then the list of what has been taken back of the call that it takes back. No key twice.
-- ARGV   deadline_ms (on the server's clock; empty: none), fingerprint, actor, host, reason, the keys behind those of
--        the windows (`o`: the operation key, `O`: the same, to be written in any case, `u`: that list, `ou`, `Ou`, or
--        empty), layout; then the columns of arguments that the script names, one behind the other. The layout has a
--        letter for each: `1` (one argument stands for all windows) or `n` (one for each).
-- reply  { status, server_ms, record }, all strings:
--        done             record: what the operation key says, whether one is written or not. Packed: `3`, fingerprint,
--                         kind, actor, host, reason, server_ms, number of windows; then eleven texts of each: its
--                         key, word, used_before, reset_before, used_after, reset_after, taken, first_expires_ms,
--                         second_expires_ms (of its keys), state_before, state_after (what is stored, of limiters
--                         whose used and reset follow from that and the time); none where there is none. The word is
--                         `applied`, or why nothing was written for that window. The expiries, absolute on the
--                         server's clock, are those of what was removed or replaced. Short for `applied` are
--                         `counted` and `given-back`, without used_after (used_before and taken more, or less) and
--                         reset_after (it stays), and `removed`, without the expiries (both at the end of the second
--                         reset_before).
--        already          an operation of this name, kind and fingerprint has run: the operation key's value, whose
--                         windows are answered as they were then; one that is not among them (a key that was refused
--                         before that call was sent) was not written
--        late             the server's clock is past the deadline; no record. An earlier call may have been in time.
--        other-operation  the operation key, or the list, holds anything else; no record
-- error  NOPERM, ERR unknown command, ERR wrong arguments, and whatever the server has against writes (OOM, READONLY,
--        MISCONF, NOREPLICAS): each before anything is written.
-- cost   a call: TIME, MGET of all keys (or what reads states), and with an operation key TYPE (GET, where it is there)
--        and SET; a window: TYPE of each key that MGET has nothing of. MGET copies whatever stands under a window's
--        name, as the application's own GET does: the server needs that memory for as long as the call takes.
--
-- The operation key is written when at least one window is, and in any case where it is wanted; first, or where windows
-- are removed last: a server that is out of memory lets a script delete, and write after it has deleted, but not begin
-- with a write. It stays for what is left of the longest window written, at least 10 minutes and at most 24 hours; a
-- window without a reset counts as 24 hours. Where the fingerprint says that requests were carried over from another
-- deployment, or taken back of that (`copy:`, `undo:ID:copy:`), it stays as long as the windows, however long: what was
-- carried once must be known until then. It is the reply, too, because Redis' Lua hashes every byte of every text that
-- it makes: putting the windows together twice took a fiftieth of a call.
--
-- What is taken back once stays so, under whatever operation id: a window on the list is answered with what
-- was done then and the word `already-undone`. The list is written and stays as the operation key does, and reads like
-- one: the head of the latest undo, and every window that was taken back.
--
-- run(script)      the reply of a script: { kind = its word, columns = for each how an argument is read (integer,
--                  optional, any), judge = function, quick = function or nil, reads = a command that judge needs beside
--                  those above, ends = function or nil, parts = how many keys a window has (else 1 with ends, 2 without
--                  it), state = function or nil }
-- ends(key, used)  the second at which this window ends, as text (false: none), and where what is stored is a state,
--                  how many are used, as text. Without it a window is two keys, the second of which holds the end.
-- state(key, expiry)
--                  what both keys hold, as one text, or false: nothing; or nil and the word of a fault. Without it MGET
--                  reads what is stored.
-- judge(key, expiry, used, reset)
--                  the names of both keys (nil: there is no second one) and what is stored there (false: nothing).
--                  Reads only, and plans the writes. Returns the word, and then, where there is something to say:
--                  used_after, reset_after, taken, first_expires, second_expires, state_after, and state_before where
--                  that is more than what state() read.
-- denied           an error reply: what a judge needs is not this user's to run
-- quick()          what answers the usual windows under the arguments as they stand now; nil where no window is usual
--                  then. It is given (key, expiry, used, reset) of one whose halves are both there and short, and
--                  returns the packed answer, its writes planned and latest_s no less than its end; nil (and nothing
--                  done) where the window is not usual, which judge then has
-- lasts(ends_s)    the operation key has to tell of a window until then (nil: not known)
-- asked, numbers   this window's arguments by column: the text, and what was read from it

local kForEver = math.huge
local kHead = 7
local kHeadTexts, kAnswerTexts = 8, 11
local kFormat = '3'
local kShortestMs, kLongestMs = 600000, 86400000
local kLongestCarriedMs = 9e15  -- what Redis takes for an expiry, and a number of Lua holds exactly

local asked, numbers = {}, {}
local latest_s = 0
local is_undo = false
local denied
local undone, undone_at, fresh = {}, {}, {}  -- the list's texts, where each key's begin, and what comes to it
local KEYS, ARGV = KEYS, ARGV

local function lasts(ends_s)
    if not ends_s then latest_s = kForEver elseif ends_s > latest_s then latest_s = ends_s end
end

-- Reads the columns with one argument for all windows; returns the numbers of the others, what comes before the first
-- argument of each, and whether there are as many arguments as there must be, and those for all windows are sound.
local function columns_of(script, windows)
    local each, firsts, sound, at = {}, {}, true, kHead + 1
    if #(ARGV[kHead] or '') ~= #script.columns then return each, firsts, false end
    for column, read in ipairs(script.columns) do
        if string.sub(ARGV[kHead], column, column) == 'n' then
            each[#each + 1], firsts[column] = column, at - 1
            at = at + windows
        else
            asked[column] = ARGV[at] or ''
            numbers[column] = read(asked[column])
            sound = sound and numbers[column] ~= nil
            at = at + 1
        end
    end
    return each, firsts, at == #ARGV + 1, sound
end

-- Windows with different names have different second keys, but such a key may have the name of a window.
local function same_key_twice(parts, windows)
    local seen, last = {}, parts * windows
    for i = 1, last, parts do
        local key = KEYS[i]
        if seen[key] then return true end
        seen[key] = true
    end
    for i = 2, last, 2 do
        if parts == 2 and seen[KEYS[i]] then return true end
    end
    for i = last + 1, #KEYS do
        if seen[KEYS[i]] then return true end
    end
    return false
end

-- What the operation key says, as a reply; nil when it is not there.
local function recalled(script, record_key)
    local kind = call('TYPE', record_key).ok
    if kind == 'none' then return nil end
    local record = kind == 'string' and call('GET', record_key)
    local head = packed(kFormat) .. packed(ARGV[2]) .. packed(script.kind)
    if record and string.sub(record, 1, #head) == head then return { 'already', decimal(server_ms), record } end
    return { 'other-operation', decimal(server_ms) }
end

-- Reads the list; false where the key holds anything else.
local function read_undone(list_key)
    local kind = call('TYPE', list_key).ok
    if kind == 'none' then return true end
    undone = kind == 'string' and texts_of(call('GET', list_key)) or {}
    if undone[1] ~= kFormat or (#undone - kHeadTexts) % kAnswerTexts ~= 0 then return false end
    for at = kHeadTexts + 1, #undone, kAnswerTexts do undone_at[undone[at]] = at end
    return true
end

-- A window of the list, under another word if one is given.
local function undone_answer(at, word)
    local texts = {}
    for i = 0, kAnswerTexts - 1 do texts[i + 1] = packed(i == 1 and word or undone[at + i]) end
    return table.concat(texts)
end

-- One window's answer, packed, where the script has no shorter way: its faults, or what the script judges.
local function answer_of(script, key, expiry, used, reset, sound, shown, fault)
    if undone_at[key] then return undone_answer(undone_at[key], 'already-undone') end
    local word, used_after, reset_after, taken, counter_expires, expiry_expires, state_after, whole
    local used_fault, reset_fault = fault, nil
    if not script.state then used_fault, reset_fault = stored_fault(key, used), expiry and stored_fault(expiry, reset) end
    word, used, reset = used_fault or reset_fault, not used_fault and used, not reset_fault and reset
    if not word and not sound then word = 'bad-argument' end
    if not word then
        word, used_after, reset_after, taken, counter_expires, expiry_expires, state_after, whole =
            script.judge(key, expiry, used, reset)
    end
    if word == 'applied' then
        local ends = reset_after or reset
        lasts(ends and integer(ends))
    end
    local answer = packed(key) .. packed(word) .. packed(shown or used) .. packed(reset) .. packed(used_after)
        .. packed(reset_after) .. packed(taken) .. packed(counter_expires) .. packed(expiry_expires)
        .. packed(whole or shown and used) .. packed(state_after)
    if is_undo and word == 'applied' then fresh[#fresh + 1] = answer end
    return answer
end

-- Every window's answer; plans what makes them true.
local function judged(script, parts, windows, each, firsts, sound)
    local state = script.state
    local stored = state and {} or call('MGET', unpack(KEYS, 1, parts * windows))
    local columns, answers, ends = script.columns, {}, script.ends
    local quick = not is_undo and script.quick or function() end
    local usual = #each == 0 and sound and quick()
    for i = 1, windows do
        local at = 2 * i
        local key, expiry, used, reset = KEYS[at - 1], KEYS[at], stored[at - 1], stored[at]
        local shown, fault
        local fits = sound
        for n = 1, #each do
            local column = each[n]
            local text = ARGV[firsts[column] + i]
            local number = columns[column](text)
            asked[column], numbers[column] = text, number
            fits = fits and number ~= nil
        end
        if #each > 0 then usual = fits and quick() end
        if ends then
            key, expiry, used = KEYS[parts * (i - 1) + 1], parts == 2 and KEYS[at] or nil, stored[i]
            if state then used, fault = state(key, expiry) end
            if used then reset, shown = ends(key, used) else reset = false end
        end
        answers[i] = usual and used and reset and #used < 16 and #reset < 16
            and usual(key, expiry, used, reset) or answer_of(script, key, expiry, used, reset, fits, shown, fault)
    end
    return answers
end

local function record_of(script, answers)
    local head = packed(kFormat) .. packed(ARGV[2]) .. packed(script.kind) .. packed(ARGV[3]) .. packed(ARGV[4])
        .. packed(ARGV[5]) .. packed(decimal(server_ms)) .. packed(decimal(#answers))
    answers[1] = head .. answers[1]
    return table.concat(answers)
end

-- The list as it is to be: what was on it stays as long as its windows need it, too.
local function list_of(script)
    for _, at in pairs(undone_at) do
        local ends = undone[at + 5] or undone[at + 3]
        lasts(ends and integer(ends))
        fresh[#fresh + 1] = undone_answer(at)
    end
    return record_of(script, fresh)
end

local function stays_ms()
    local carried = find(ARGV[2], '^copy:') or find(ARGV[2], '^undo:[^:]*:copy:')
    local longest = carried and latest_s < kForEver and kLongestCarriedMs or kLongestMs
    return decimal(math.max(kShortestMs, math.min(latest_s * 1000 - server_ms, longest)))
end

local function run(script)
    local behind = ARGV[6] or ''
    is_undo = find(behind, 'u') ~= nil
    local parts, last = script.parts or (script.ends and 1 or 2), #KEYS - #behind
    local windows = math.floor(last / parts)
    local record_key, list_key = find(behind, '[oO]') and KEYS[last + 1] or nil, is_undo and KEYS[#KEYS] or nil
    local each, firsts, complete, sound = columns_of(script, windows)
    complete = complete and windows > 0 and last % parts == 0
    if not complete then return redis.error_reply('ERR wrong number of arguments') end
    if optional(ARGV[1]) == nil then return redis.error_reply('ERR the deadline is no integer') end
    if same_key_twice(parts, windows) then return redis.error_reply('ERR one key occurs twice in a call') end
    local refusal = forbidden('TIME') or forbidden('TYPE', KEYS[1])
        or (not script.state and forbidden('MGET', KEYS[1]))
        or (record_key and forbidden('GET', record_key)) or (list_key and forbidden('GET', list_key))
        or (script.reads and forbidden(script.reads, KEYS[1]))
    if refusal then return refusal end

    local time = call('TIME')
    server_ms = time[1] * 1000 + math.floor(time[2] / 1000)
    if ARGV[1] ~= '' and server_ms > tonumber(ARGV[1]) then return { 'late', decimal(server_ms) } end
    local earlier = record_key and recalled(script, record_key)
    if earlier then return earlier end
    if list_key and not read_undone(list_key) then return { 'other-operation', decimal(server_ms) } end

    local record = record_of(script, judged(script, parts, windows, each, firsts, sound))
    if denied then return denied end
    local writes = planned + counted + doomed > 0
    if not writes and not find(behind, 'O') then return { 'done', decimal(server_ms), record } end
    list_key = record_key and writes and list_key
    refusal = plan_forbidden() or (record_key and forbidden('SET', record_key, ''))
        or (list_key and forbidden('SET', list_key, ''))
    if refusal then return refusal end
    local list = list_key and list_of(script)
    local function remember()
        if not record_key then return end
        call('SET', record_key, record, 'PX', stays_ms())
        if list then call('SET', list_key, list, 'PX', stays_ms()) end
    end
    if doomed == 0 then remember() end
    refusal = carry_out()
    if refusal then return refusal end
    if doomed > 0 then remember() end
    return { 'done', decimal(server_ms), record }
end
