// Reads a dump file's opcodes and keys one after the other.
#include "input/rdb/reader.h"

#include <fmt/format.h>

#include "support/number_text.h"

namespace ratectl::input {
namespace {

enum Opcode : std::uint8_t {
    kUpdate = 242,
    kSlotImport = 243,  // of Redis: metadata that modules hang on a key
    kSlotInfo = 244,
    kFunction = 245,
    kFunctionBeforeRelease = 246,
    kModuleAux = 247,
    kIdle = 248,
    kFrequency = 249,
    kAux = 250,
    kResizeDb = 251,
    kExpiryMs = 252,
    kExpirySeconds = 253,
    kSelectDb = 254,
    kEnd = 255,
};

constexpr std::size_t kLongestAux = 256;
constexpr std::size_t kChecksum = 8;

constexpr std::string_view kNotOurs = "is it a dump file, and of a server not newer than Redis 8 or Valkey 9?";

}  // namespace

RdbReader::RdbReader(ByteSource& source) : bytes_(source) {
    read_header();
    while (bytes_.peek_byte() == kAux) read_aux();
}

void RdbReader::read_header() {
    constexpr std::string_view redis = "REDIS";
    constexpr std::string_view valkey = "VALKEY";
    constexpr std::size_t header_size = 9;
    const std::string_view header(bytes_.take(header_size), header_size);
    facts_.valkey_format = header.starts_with(valkey);
    if (!facts_.valkey_format && !header.starts_with(redis))
        bytes_.fail("it begins with neither REDIS nor VALKEY", "is it a dump file? a compressed one has to be gzip");
    const auto digits = header.substr(facts_.valkey_format ? valkey.size() : redis.size());
    for (const char digit : digits) {
        if (digit < '0' || digit > '9') bytes_.fail("its format is not a number");
        facts_.format = facts_.format * 10 + (digit - '0');
    }
    if (facts_.format < kOldestRdbFormat)
        bytes_.fail(fmt::format("format {} is older than Redis 2.6", facts_.format),
                    "a newer server can load the file and save it again");
}

void RdbReader::read_aux() {
    bytes_.reading("a field of the header");
    bytes_.take_byte();
    const std::string name(take_text(bytes_, kLongestAux, value_).bytes);
    const std::string_view value = take_text(bytes_, kLongestAux, value_).bytes;
    if (name == "redis-ver" || name == "valkey-ver") {
        facts_.server = fmt::format("{} {}", name.substr(0, name.find('-')), value);
    } else if (name == "ctime") {
        const auto second = support::parse_unsigned(value, support::kMaxExactInteger);
        if (second) facts_.written_at = support::from_epoch(static_cast<std::int64_t>(*second));
    } else if (name == "aof-preamble") {
        facts_.aof_preamble = value == "1";
    }
}

const RdbReader::Key* RdbReader::next_key() {
    if (pending_ != nullptr) skip_value();
    current_.expires_at_ms.reset();
    while (!ended_) {
        bytes_.reading("what stands before a key");
        const std::uint8_t code = bytes_.peek_byte();
        if (code == kAux) {
            read_aux();
            continue;
        }
        bytes_.take_byte();
        if (take_opcode(code)) continue;
        take_key(code);
        return &current_;
    }
    return nullptr;
}

bool RdbReader::take_opcode(std::uint8_t code) {
    switch (code) {
        case kSelectDb: current_.db = take_length(bytes_); return true;
        case kResizeDb:
            take_length(bytes_);
            take_length(bytes_);
            return true;
        case kExpiryMs: current_.expires_at_ms = static_cast<std::int64_t>(bytes_.take_little_endian(8)); return true;
        case kExpirySeconds:
            current_.expires_at_ms =
                std::int64_t{static_cast<std::int32_t>(bytes_.take_little_endian(4))} * std::int64_t{1000};
            return true;
        case kIdle: take_length(bytes_); return true;
        case kFrequency: bytes_.take_byte(); return true;
        case kEnd: finish(); return true;
        default: return take_module_opcode(code);
    }
}

bool RdbReader::take_module_opcode(std::uint8_t code) {
    switch (code) {
        case kSlotInfo:
            for (int n = 0; n < 3; ++n) take_length(bytes_);
            return true;
        case kFunction:
            bytes_.reading("a function library");
            skip_text(bytes_);
            return true;
        case kFunctionBeforeRelease:
            bytes_.reading("a function library");
            skip_text(bytes_);  // name
            skip_text(bytes_);  // engine
            if (take_length(bytes_) != 0) skip_text(bytes_);
            skip_text(bytes_);
            return true;
        case kModuleAux:
            bytes_.reading("what a module keeps beside the keys");
            for (int n = 0; n < 3; ++n) take_length(bytes_);  // whose, and when it is to be loaded
            skip_module_values(bytes_);
            return true;
        case kSlotImport:
            if (!facts_.valkey_format)
                bytes_.fail("metadata of a module at a key, of a format newer than this program", kNotOurs);
            bytes_.reading("a slot that was being imported");
            skip_text(bytes_);
            for (std::uint64_t n = take_length(bytes_); n > 0; --n) {
                take_length(bytes_);
                take_length(bytes_);
            }
            return true;
        case kUpdate:
            bytes_.fail("a command between the keys (opcode 242), which only a server can carry out", kNotOurs);
        default: return false;
    }
}

void RdbReader::take_key(std::uint8_t code) {
    const RdbType* type = rdb_type(code, facts_.valkey_format);
    if (type == nullptr)
        bytes_.fail(fmt::format("{} is not a type of a value that this program knows", code), kNotOurs);
    bytes_.reading("a key");
    const RdbText key = take_text(bytes_, kLongestKey, key_);
    if (key.bytes.data() != key_.data()) key_.assign(key.bytes);
    current_.key = key_;
    current_.too_long = key.size > kLongestKey;
    current_.is_string = code == kRdbString;
    if (type->skip == nullptr) bytes_.fail(type->refusal);
    pending_ = type;
    pending_is_module_ = code == kRdbModule;
}

void RdbReader::skip_value() {
    bytes_.reading(pending_->what);
    pending_->skip(bytes_);
    pending_ = nullptr;
}

RdbReader::Value RdbReader::read_value() {
    if (current_.is_string) {
        bytes_.reading("a string");
        pending_ = nullptr;
        return {take_text(bytes_, kLongestValue, value_).bytes, "string"};
    }
    if (!pending_is_module_) {
        const std::string_view word = pending_->word();
        skip_value();
        return {{}, word};
    }
    bytes_.reading(pending_->what);
    pending_ = nullptr;
    module_name_ = module_name(take_length(bytes_));
    skip_module_values(bytes_);
    return {{}, module_name_};
}

void RdbReader::finish() {
    ended_ = true;
    const std::uint64_t computed = bytes_.checksum();
    bytes_.reading("the checksum");
    const std::uint64_t stored = bytes_.take_little_endian(kChecksum);
    has_checksum_ = stored != 0;
    if (!has_checksum_ || stored == computed) return;
    throw support::Failure(support::ExitCode::local_io,
                           fmt::format("{}: its checksum is wrong: it says {:016x}, its bytes give {:016x}",
                                       bytes_.name(), stored, computed),
                           "some byte is not what the server wrote: any row of it may be wrong");
}

}  // namespace ratectl::input
