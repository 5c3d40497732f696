-- The same as opaque.lua of windows that are a hash: when they begin and end, and how many are counted.

local kinds = { { type = 'hash', fields = { 'start', 'end', 'count' } } }
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
