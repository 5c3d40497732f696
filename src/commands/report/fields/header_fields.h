// The columns of headers: a header a row, or a verified response a row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/header_claim.h"
#include "domain/node.h"
#include "domain/rate_headers.h"
#include "domain/window.h"
#include "output/field.h"
#include "support/time.h"

namespace ratectl::commands {

/// One header that a client would get.
struct HeaderRow {
    std::string_view key;
    std::string_view policy;  // empty: none
    domain::HeaderDialect dialect = domain::HeaderDialect::github;
    const domain::HeaderLine& line;
    const domain::WindowLook& look;  // that it was made of
    const domain::Window& window;
    const domain::Node* node = nullptr;  // null: no shard has the key
    support::WallTime read_at{};
    bool stale = false;
};
std::span<const output::Field<HeaderRow>> header_fields();

/// One response that a client got.
struct ClaimRow {
    std::string key;  // empty: it can be about none of several
    std::uint64_t line = 0;
    domain::HeaderClaim claim;
    domain::ClaimJudgement judgement;
    std::optional<std::int64_t> used_now;  // at the node that counts
    std::optional<support::Instant> reset_at_now;
};
std::span<const output::Field<ClaimRow>> claim_fields();

}  // namespace ratectl::commands
