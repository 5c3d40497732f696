// "Did you mean ...?": the nearest of a list of names to a word that is not among them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ratectl::support {

/// The candidate with the smallest edit distance (transpositions count one), if it is near enough to be meant.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
/// "did you mean 'reset'?" or empty: ready to be an Error's hint.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace ratectl::support
