// Commands as RESP arrays of bulk strings, appended to one buffer: a sweep formats millions of keys this way.
#include "redis/request.h"

#include <array>
#include <charconv>
#include <cstring>

namespace ratectl::redis {
namespace {

using Header = std::array<char, 24>;

std::string_view header_of(Header& line, char sign, std::size_t number) {
    line[0] = sign;
    char* end = std::to_chars(line.data() + 1, line.data() + line.size() - 2, number).ptr;
    *end++ = '\r';
    *end++ = '\n';
    return {line.data(), end};
}

char* put(char* at, std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    return at + bytes.size();
}

}  // namespace

template <class Arguments>
void Request::append(const Arguments& arguments) {
    begin(arguments.size());
    for (const auto& bytes : arguments) argument(bytes);
}

void Request::begin(std::size_t arguments) {
    Header line{};
    bytes_ += header_of(line, '*', arguments);
    ++commands_;
}

void Request::argument(std::string_view bytes, std::string_view rest) {
    Header line{};
    const std::string_view header = header_of(line, '$', bytes.size() + rest.size());
    const std::size_t before = bytes_.size();
    bytes_.resize(before + header.size() + bytes.size() + rest.size() + 2);
    put(put(put(put(bytes_.data() + before, header), bytes), rest), "\r\n");
    if (commands_ == 1) first_command_bytes_ = bytes_.size();
}

void Request::add(std::initializer_list<std::string_view> arguments) { append(arguments); }

void Request::add(std::span<const std::string_view> arguments) { append(arguments); }

void Request::add(std::span<const std::string> arguments) { append(arguments); }

void Request::clear() {
    bytes_.clear();
    commands_ = 0;
    first_command_bytes_ = 0;
}

void Request::wipe() {
    explicit_bzero(bytes_.data(), bytes_.size());
    *this = Request();
}

}  // namespace ratectl::redis
