// Computes fingerprints of clients.
#include "domain/fingerprint.h"

#include "support/digest.h"

namespace ratectl::domain {

namespace {

constexpr std::string_view kBeginning = "sha256:";
constexpr std::size_t kDigitCount = kFingerprintSize - kBeginning.size();

}  // namespace

std::string fingerprint(std::string_view client) {
    return std::string(kBeginning) + support::to_hex(support::sha256(client)).substr(0, kDigitCount);
}

bool is_fingerprint(std::string_view text) {
    if (!text.starts_with(kBeginning) || text.size() != kFingerprintSize) return false;
    return text.find_first_not_of("0123456789abcdef", kBeginning.size()) == std::string_view::npos;
}

bool holds_fingerprint(std::string_view text) {
    for (auto at = text.find(kBeginning); at != std::string_view::npos; at = text.find(kBeginning, at + 1))
        if (is_fingerprint(text.substr(at, kFingerprintSize))) return true;
    return false;
}

}  // namespace ratectl::domain
