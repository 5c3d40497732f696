// Commands as RESP arrays of bulk strings, appended to one buffer: a sweep formats millions of keys this way.
#include "redis/request.h"

#include <algorithm>
#include <cstring>

namespace ratectl::redis {
namespace {

std::size_t digits_of(std::size_t number) {
    std::size_t digits = 1;
    for (; number >= 10; number /= 10) ++digits;
    return digits;
}

char* put(char* at, std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    return at + bytes.size();
}

/// `$26` and the end of its line; where it ends.
char* put_header(char* at, char sign, std::size_t number, std::size_t digits) {
    *at = sign;
    for (std::size_t i = digits; i > 0; --i, number /= 10) at[i] = static_cast<char>('0' + number % 10);
    return put(at + 1 + digits, "\r\n");
}

}  // namespace

// The string is longer than what is in it, and grows in leaps: whoever adds writes straight into it.
char* Request::grow(std::size_t more) {
    const std::size_t before = size_;
    size_ += more;
    if (size_ > bytes_.size()) bytes_.resize(std::max(2 * bytes_.size(), size_));
    return bytes_.data() + before;
}

template <class Arguments>
void Request::append(const Arguments& arguments) {
    begin(arguments.size());
    for (const auto& bytes : arguments) argument(bytes);
}

void Request::begin(std::size_t arguments) {
    const std::size_t digits = digits_of(arguments);
    put_header(grow(1 + digits + 2), '*', arguments, digits);
    ++commands_;
}

void Request::argument(std::string_view bytes, std::string_view rest) {
    const std::size_t size = bytes.size() + rest.size();
    const std::size_t digits = digits_of(size);
    char* at = put_header(grow(1 + digits + 2 + size + 2), '$', size, digits);
    put(put(put(at, bytes), rest), "\r\n");
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

}  // namespace ratectl::redis
