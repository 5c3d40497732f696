// Reads lines and announced values; a value's bytes may hold anything, line ends included.
#include "memcached/answer_reader.h"

#include <algorithm>
#include <utility>

#include "support/number_text.h"

namespace ratectl::memcached {
namespace {

constexpr std::string_view kEnd = "\r\n";
constexpr std::string_view kListed = "key=";

/// How many bytes a line announces; null: none. An error: it announces something that is no number of bytes.
tl::expected<std::optional<std::size_t>, std::string> announced_by(std::string_view line) {
    Words words(line);
    const auto first = words.next();
    if (first != "VALUE" && first != "VA") return std::nullopt;
    if (first == "VALUE") {
        words.next();
        words.next();
    }
    const auto size = support::parse_unsigned(words.next(), kLargestValue);
    if (!size) return tl::make_unexpected(std::string("it announces a value without saying how long it is"));
    return static_cast<std::size_t>(*size);
}

}  // namespace

std::string_view Words::next() {
    const auto end = std::min(rest_.find(' '), rest_.size());
    const auto word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
}

void AnswerReader::feed(std::string_view bytes) {
    drop_read();
    bytes_.append(bytes);
}

void AnswerReader::drop_read() {
    bytes_.erase(0, at_);
    at_ = 0;
}

AnswerReader::Next AnswerReader::next() {
    if (announced_) return take_value();
    const auto rest = std::string_view(bytes_).substr(at_);
    const auto end = rest.find('\n');
    if (std::min(end, rest.size()) > kLongestLine) return tl::make_unexpected(std::string("its line has no end"));
    if (end == std::string_view::npos) return std::nullopt;
    auto line = rest.substr(0, end);
    // The crawler's lines, and they alone, end in a line feed.
    if (!line.starts_with(kListed) && !line.ends_with('\r'))
        return tl::make_unexpected(std::string("its line ends in another way"));
    if (line.ends_with('\r')) line.remove_suffix(1);
    Answer answer{std::string(line), std::nullopt};
    const auto size = announced_by(answer.line);
    if (!size) return tl::make_unexpected(size.error());
    at_ += end + 1;
    if (!*size) return answer;
    answer.value.emplace();
    announced_ = {std::move(answer), **size};
    taken_ = 0;
    return take_value();
}

AnswerReader::Next AnswerReader::take_value() {
    auto& [answer, size] = *announced_;
    const auto rest = std::string_view(bytes_).substr(at_);
    const auto now = std::min(rest.size(), size - taken_);
    if (answer.value->size() < kMostOfValue)
        answer.value->append(rest.substr(0, std::min(now, kMostOfValue - answer.value->size())));
    taken_ += now;
    at_ += now;
    const auto behind = std::string_view(bytes_).substr(at_);
    if (taken_ < size || behind.size() < kEnd.size()) return std::nullopt;
    if (!behind.starts_with(kEnd)) return tl::make_unexpected(std::string("its value is longer than it said"));
    at_ += kEnd.size();
    Next whole = std::optional(std::move(answer));
    announced_.reset();
    return whole;
}

}  // namespace ratectl::memcached
