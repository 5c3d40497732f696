// Cuts a list of writes into script calls: up to 100 windows of one kind of limiter each, no key twice in one.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/limiter.h"
#include "store/store.h"

namespace ratectl::store {

inline constexpr std::size_t kWindowsPerCall = 100;
/// Fewer through a proxy: a call goes to the server of its first key, and the next window may be on another one.
std::size_t windows_per_call(const Directory& directory);

/// Indices into the list, slice by slice; `limiter` is the deployment's. The items of one key keep their order;
/// different keys may change places, so that one busy key does not cut everything into small calls.
std::vector<std::vector<std::size_t>> slice(std::span<const std::size_t> items,
                                            const std::function<std::string_view(std::size_t item)>& key_of,
                                            const domain::Limiter& limiter, std::size_t most = kWindowsPerCall);

/// Items 0 to items - 1 as slices, place by place, numbered from `first_number` on. It depends on nothing but the keys,
/// so the same list is cut the same way again. The fingerprints stay empty.
std::vector<Slice> cut_slices(std::size_t items, const std::function<const KeyAt&(std::size_t item)>& at,
                              const domain::Limiter& limiter, std::uint64_t first_number = 1,
                              std::size_t most = kWindowsPerCall);

/// Throws Failure (bug) unless every item is in exactly one slice, and each slice is of one place and one kind of
/// limiter, and has no key twice. Failure (guard) where one has more windows than `most`, as calls that were cut for
/// another way to the servers may have.
void check_slices(std::span<const Slice> slices, std::size_t items,
                  const std::function<const KeyAt&(std::size_t item)>& at, const domain::Limiter& limiter,
                  std::size_t most = kWindowsPerCall);

/// Tells a changed list of things from a repeated one.
class CallFingerprint {
public:
    void add(std::string_view part);
    /// 32 hex digits.
    std::string text() const;

private:
    std::string parts_;
};

}  // namespace ratectl::store
