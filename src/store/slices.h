// Cuts a list of writes into script calls: up to 100 windows each, no key twice in one.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace ratectl::store {

inline constexpr std::size_t kWindowsPerCall = 100;

/// Indices into the list, slice by slice. The items of one key keep their order; different keys may change places, so that one busy key
/// does not cut everything into small calls.
std::vector<std::vector<std::size_t>> slice(std::span<const std::size_t> items,
                                            const std::function<std::string_view(std::size_t item)>& key_of,
                                            std::size_t most = kWindowsPerCall);

}  // namespace ratectl::store
