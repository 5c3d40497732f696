// One or more commands, already in RESP, ready to be sent in one write.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ratectl::redis {

/// Arguments are bytes: keys with NUL or newlines travel unharmed.
class Request {
public:
    void add(std::initializer_list<std::string_view> arguments);
    void add(std::span<const std::string_view> arguments);
    void add(std::span<const std::string> arguments);
    /// The same bit by bit: a command of so many arguments, each given as the pieces that it is made of.
    void begin(std::size_t arguments);
    void argument(std::string_view bytes, std::string_view rest = {});

    /// Valid until the next change.
    std::string_view bytes() const { return std::string_view(bytes_).substr(0, size_); }
    /// How many replies this will bring.
    std::size_t commands() const { return commands_; }
    bool empty() const { return commands_ == 0; }
    /// Bytes of the first command: as long as fewer have left, nothing can have run.
    std::size_t first_command_bytes() const { return first_command_bytes_; }
    /// The memory stays.
    void clear();
    /// For requests that carry a password: with room reserved beforehand no copy is left behind, and wipe() overwrites
    /// the bytes.
    void reserve(std::size_t bytes);
    void wipe();

private:
    template <class Arguments>
    void append(const Arguments& arguments);
    /// Where up to so many bytes more can be written, and then where they end.
    char* make_room(std::size_t most);
    void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.data()); }

    std::string bytes_;  // the first size_ of them
    std::size_t size_ = 0;
    std::size_t commands_ = 0;
    std::size_t first_command_bytes_ = 0;
};

/// The words of the first command of a finished request, which is taken off its bytes.
std::vector<std::string_view> take_command(std::string_view& bytes);

}  // namespace ratectl::redis
