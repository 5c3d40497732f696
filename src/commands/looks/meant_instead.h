// What was probably meant by a name that names nothing: an id given as a key, a key given as a client, a pattern as a
// key, the other half of a window.
#pragma once

#include <string_view>

#include "commands/context.h"
#include "domain/window.h"

namespace ratectl::commands {

/// Of such a half, for --exit-status.
support::Error part_for_exit_status();

/// Says it once, of the first name that there is something to say of.
class MeantInstead {
public:
    /// The context outlives it.
    explicit MeantInstead(Context& context) : context_(context) {}

    /// A key that was named, and what it showed. True where it is the name of another half of a window and has no
    /// window of its own: the look says nothing of that window, and was perhaps taken where it does not live.
    bool note(std::string_view key, domain::WindowState state);
    /// The same, and nothing else that might be meant.
    bool note_if_part(std::string_view key, domain::WindowState state);
    /// Whether it would be such a name.
    bool note_part(std::string_view key);
    /// A key that has no window.
    void note_absent(std::string_view key);
    /// A client that was named.
    void note_client(std::string_view client);

private:
    Context& context_;
    bool said_ = false;
    bool said_part_ = false;
};

}  // namespace ratectl::commands
