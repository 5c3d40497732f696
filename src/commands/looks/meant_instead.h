// What was probably meant by a name that names nothing: an id given as a key, a key given as a client, a pattern as a
// key, the other half of a window.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/context.h"
#include "domain/limiter.h"
#include "domain/window.h"

namespace ratectl::commands {

class Outcome;

/// The part of a window that this key names, where it has no window of its own, as a look has found it.
std::optional<domain::Limiter::PartOf> part_alone(std::string_view key, domain::WindowState state,
                                                  const domain::Limiter& limiter);

/// Says it once, of the first name that there is something to say of.
class MeantInstead {
public:
    /// The context outlives it. `by_name`: for a command that takes names of throttles, and no patterns.
    explicit MeantInstead(Context& context, bool by_name = false) : context_(context), by_name_(by_name) {}

    /// A key that was named, and what it showed.
    void note(std::string_view key, domain::WindowState state);
    /// True where it is the name of another half of a window and has no window of its own: the look says nothing of
    /// that window, and was perhaps taken where it does not live.
    bool note_if_part(std::string_view key, domain::WindowState state);
    /// Whether it would be such a name.
    bool note_part(std::string_view key);
    /// A key that has no window.
    void note_absent(std::string_view key);
    /// A client that was named, and its keys.
    void note_client(std::string_view client, std::vector<std::string> keys);
    /// A key that has a window: its client was meant.
    void note_found(std::string_view key);
    /// For --exit-status, when all is looked at: what the looks do not tell of, because something else was meant.
    void tell_untold(Outcome& outcome) const;

private:
    Context& context_;
    bool by_name_;
    bool said_ = false;
    bool said_part_ = false;
    bool noted_part_ = false;
    std::vector<std::vector<std::string>> slips_;  // the keys of clients that are written like keys, until one is found
};

}  // namespace ratectl::commands
