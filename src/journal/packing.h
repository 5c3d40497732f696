// Whole numbers and texts in few bytes: how the journal keeps the windows of a script call together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ratectl::journal {

/// Bytes that do not unpack: caught where the file's name is known.
struct Damaged {};

/// Numbers of up to 64 bits, seven bits a byte, the lowest first. A column is a run of values of one kind, each packed
/// as its distance from the one before: `last` is kept by the caller, one a column, the same on both sides, 0 at first.
class Packer {
public:
    explicit Packer(std::string& out) : out_(out) {}

    void number(std::uint64_t value);
    /// Its length, then its bytes.
    void bytes(std::string_view value);
    void distance(std::int64_t value, std::int64_t& last);
    void maybe_distance(const std::optional<std::int64_t>& value, std::int64_t& last);
    /// What servers store: canonical numbers within 16 digits as numbers, anything else as it is.
    void stored(const std::optional<std::string>& value, std::int64_t& last);

private:
    std::string& out_;
};

/// The other way round. Throws Damaged where the bytes end too early or say what no Packer says.
class Unpacker {
public:
    explicit Unpacker(std::string_view in) : in_(in) {}

    std::uint64_t number();
    std::string_view bytes();
    std::int64_t distance(std::int64_t& last);
    std::optional<std::int64_t> maybe_distance(std::int64_t& last);
    void stored(std::optional<std::string>& value, std::int64_t& last);
    bool at_end() const { return in_.empty(); }

private:
    std::string_view in_;
};

}  // namespace ratectl::journal
