// Writes commands as RESP arrays of bulk strings into one buffer: a sweep formats millions of keys this way.
#include "redis/request.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace ratectl::redis {
namespace {

constexpr std::size_t kLongestHeader = 1 + 20 + 2;

char* put(char* at, std::string_view bytes) { return at + bytes.copy(at, bytes.size()); }

/// `$26` and the end of its line; where it ends.
char* put_header(char* at, char sign, std::size_t number) {
    *at = sign;
    return put(std::to_chars(at + 1, at + kLongestHeader, number).ptr, "\r\n");
}

}  // namespace

// The string is longer than what is in it, and grows in leaps, so that arguments are written straight into it.
char* Request::make_room(std::size_t most) {
    if (size_ + most > bytes_.size()) bytes_.resize(std::max(2 * bytes_.size(), size_ + most));
    return bytes_.data() + size_;
}

template <class Arguments>
void Request::append(const Arguments& arguments) {
    begin(arguments.size());
    for (const auto& bytes : arguments) argument(bytes);
}

void Request::begin(std::size_t arguments) {
    end_at(put_header(make_room(kLongestHeader), '*', arguments));
    ++commands_;
}

void Request::argument(std::string_view bytes, std::string_view rest) {
    const std::size_t size = bytes.size() + rest.size();
    char* at = put_header(make_room(kLongestHeader + size + 2), '$', size);
    end_at(put(put(put(at, bytes), rest), "\r\n"));
    if (commands_ == 1) first_command_bytes_ = size_;
}

void Request::add(std::initializer_list<std::string_view> arguments) { append(arguments); }

void Request::add(std::span<const std::string_view> arguments) { append(arguments); }

void Request::add(std::span<const std::string> arguments) { append(arguments); }

void Request::clear() {
    size_ = 0;
    commands_ = 0;
    first_command_bytes_ = 0;
}

void Request::reserve(std::size_t bytes) {
    if (bytes > bytes_.size()) bytes_.resize(bytes);
}

void Request::wipe() {
    explicit_bzero(bytes_.data(), bytes_.size());
    *this = Request();
}

namespace {

/// The number behind the sign at the beginning of this line, which is taken off with it.
std::size_t take_header(std::string_view& bytes) {
    std::size_t number = 0;
    const auto end = bytes.find('\r');
    std::from_chars(bytes.data() + 1, bytes.data() + end, number);
    bytes.remove_prefix(end + 2);
    return number;
}

}  // namespace

std::vector<std::string_view> take_command(std::string_view& bytes) {
    std::vector<std::string_view> words(take_header(bytes));
    for (auto& word : words) {
        const auto size = take_header(bytes);
        word = bytes.substr(0, size);
        bytes.remove_prefix(size + 2);
    }
    return words;
}

}  // namespace ratectl::redis
