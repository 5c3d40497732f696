// Rate-limit headers as people paste them: from curl -i or -v, a browser's tools or a ticket.
#pragma once

#include <cstdint>
#include <optional>

#include "domain/header_claim.h"
#include "input/line_reader.h"

namespace ratectl::input {

/// One response: its headers up to a blank line or the next status line.
struct ClaimBlock {
    std::uint64_t line = 0;  // of its first header
    domain::HeaderClaim claim;
};

/// Understands X-RateLimit-* and X-Rate-Limit-* (a reset as epoch second, RFC 3339 or seconds from then), RateLimit-*
/// of early drafts, RateLimit and RateLimit-Policy of drafts 7 and 8 (the first of several limits), Retry-After and
/// Date; case does not matter. Prompts of curl -v (`< `), lines that begin with `#`, other headers and bodies are
/// passed over; blocks without a rate-limit header, too.
class HeaderClaims {
public:
    explicit HeaderClaims(ByteSource& source) : lines_(source) {}
    /// Null at the end. Throws Failure (local_io) that names source and line for a rate-limit header that does not say
    /// what it should.
    std::optional<ClaimBlock> next();

private:
    void take(std::string_view line, ClaimBlock& block);

    LineReader lines_;
};

}  // namespace ratectl::input
