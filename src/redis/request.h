// One or more commands, already in RESP, ready to be sent in one write.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace ratectl::redis {

/// Arguments are bytes: keys with NUL or newlines travel unharmed.
class Request {
public:
    void add(std::initializer_list<std::string_view> arguments);
    void add(std::span<const std::string_view> arguments);
    void add(std::span<const std::string> arguments);

    const std::string& bytes() const { return bytes_; }
    /// How many replies this will bring.
    std::size_t commands() const { return commands_; }
    bool empty() const { return commands_ == 0; }
    void clear();

private:
    std::string bytes_;
    std::size_t commands_ = 0;
};

}  // namespace ratectl::redis
