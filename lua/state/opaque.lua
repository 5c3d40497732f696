-- Windows that are the limiter's own affair: they are guarded and removed and put back byte for byte, and never counted
-- into. It stands behind a file that says of what kind they are. The functions are those of keys.lua.

local terms = {}

local function decode() return {} end

local function encode() return false end

local function uncountable() return 'read-only' end

local function counts() return true end

local function used_of() return 0 end

local function end_of() return nil end

local function lives_ms() return false end

local function add() return nil, 'read-only' end

local function take() return nil end

local function merged() return nil, 'read-only' end
