// What earlier rows make of a window, for the rows of the same key that come behind them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "commands/sweep/seen_keys.h"
#include "domain/limiter.h"
#include "domain/limiter_model.h"
#include "domain/window.h"
#include "support/number_text.h"

namespace ratectl::commands {

/// By the hashes of keys, some 80 bytes each.
class RowsBefore {
public:
    struct Left {
        std::optional<domain::ModelWindow> window;  // null: none
        std::int64_t requests = 0;                  // more than a look shows; negative: fewer
        bool is_another = false;                    // than a look names: a row opened it, or moved its end
    };

    /// The secret: as SeenKeys has it.
    explicit RowsBefore(std::string_view secret) : hash_(secret) {}
    /// A row leaves that, by so many requests.
    void note(std::size_t shard, std::string_view key, const domain::StoredWindow& after, std::int64_t requests,
              bool is_another) {
        auto& left = left_[hash_(shard, key)];
        constexpr auto most = support::kMaxExactInteger;
        left = {domain::model_of(after), std::clamp(left.requests + requests, -most, most), is_another};
    }
    /// What the last row of this key leaves; null: none was noted.
    const Left* of(std::size_t shard, std::string_view key) const {
        const auto found = left_.find(hash_(shard, key));
        return found == left_.end() ? nullptr : &found->second;
    }

private:
    KeyHash hash_;
    std::unordered_map<std::uint64_t, Left> left_;
};

/// The same look, had the rows been carried out that leave that; null: there are none.
inline domain::WindowLook look_behind(const RowsBefore::Left* left, const domain::WindowLook& look,
                                      support::Moment now) {
    if (left == nullptr) return look;
    const auto& limiter = look.limiter->of(look.key);
    if (limiter.end_moves()) return limiter.look_after(look, now, left->requests);
    return look.limiter->look_at(look.key, domain::stored_of(left->window));
}

}  // namespace ratectl::commands
