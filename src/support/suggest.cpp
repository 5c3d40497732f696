// Finds the nearest name by optimal string alignment distance (Damerau-Levenshtein without overlapping transpositions).
#include "support/suggest.h"

#include <algorithm>
#include <vector>

#include "support/ascii.h"

namespace ratectl::support {

namespace {

constexpr std::size_t kLongestWord = 64;  // longer words are not typing slips of a name of ours
constexpr std::size_t kShortestPrefix = 3;

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[a.size()][b.size()];
}

constexpr std::string_view kFlag = "--";

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    // What all flags begin with makes no two of them alike: `--rps` is not `--yes`.
    const bool is_flag = word.starts_with(kFlag);
    if (is_flag) word.remove_prefix(kFlag.size());
    if (word.empty() || word.size() > kLongestWord) return std::nullopt;
    const std::string meant = lower(std::string(word));
    const std::size_t tolerated = std::max<std::size_t>(1, std::min<std::size_t>(3, (meant.size() + 1) / 3));
    std::optional<std::string> best;
    std::size_t best_distance = tolerated + 1;
    for (const std::string& candidate : candidates) {
        std::string name = lower(std::string(candidate));
        if (is_flag && name.starts_with(kFlag)) name.erase(0, kFlag.size());
        std::size_t found = distance(meant, name);
        // An abbreviation is as near as a slip can be, but no nearer.
        if (meant.size() >= kShortestPrefix && name.starts_with(meant)) found = std::min(found, tolerated);
        // A slip that shares nothing with the name is another word: `ls` is not `up`.
        if (found >= std::max(meant.size(), name.size())) continue;
        if (found < best_distance) {
            best_distance = found;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const auto near = nearest(word, candidates);
    return near ? "did you mean '" + *near + "'?" : std::string{};
}

}  // namespace ratectl::support
