// Where one RESP2 value ends in a stream of bytes: for tests that stand between a client and a server.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ratectl::test {

/// The length of the first value; null while it is incomplete. Bytes that are no RESP2 are one value to their end.
std::optional<std::size_t> frame_size(std::string_view bytes);
/// The first words of a command that is an array of bulk strings, at most `most`; what is no such array has none.
std::vector<std::string> first_words(std::string_view command, std::size_t most);

}  // namespace ratectl::test
