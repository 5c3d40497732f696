// Commands as RESP arrays of bulk strings, appended to one buffer: a sweep formats millions of keys this way.
#include "redis/request.h"

#include <array>
#include <charconv>
#include <cstring>

namespace ratectl::redis {
namespace {

void append_header(std::string& out, char sign, std::size_t number) {
    std::array<char, 24> line{};
    line[0] = sign;
    char* end = std::to_chars(line.data() + 1, line.data() + line.size() - 2, number).ptr;
    *end++ = '\r';
    *end++ = '\n';
    out.append(line.data(), end);
}

}  // namespace

template <class Arguments>
void Request::append(const Arguments& arguments) {
    begin(arguments.size());
    for (const auto& bytes : arguments) argument(bytes);
}

void Request::begin(std::size_t arguments) {
    append_header(bytes_, '*', arguments);
    ++commands_;
}

void Request::argument(std::string_view bytes, std::string_view rest) {
    append_header(bytes_, '$', bytes.size() + rest.size());
    bytes_.append(bytes).append(rest).append("\r\n", 2);
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
