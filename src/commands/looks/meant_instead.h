// What was probably meant by a name that names nothing: an id given as a key, a key given as a client, a pattern as a
// key.
#pragma once

#include <string_view>

#include "commands/context.h"

namespace ratectl::commands {

/// Says it once, of the first name that there is something to say of.
class MeantInstead {
public:
    /// The context outlives it.
    explicit MeantInstead(Context& context) : context_(context) {}

    /// A key that was named and has no window.
    void note_absent(std::string_view key);
    /// A client that was named.
    void note_client(std::string_view client);

private:
    Context& context_;
    bool said_ = false;
};

}  // namespace ratectl::commands
