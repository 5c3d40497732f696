// Which servers answer, round by round: what is said is when that changes, not how it is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/node.h"
#include "domain/window_change.h"
#include "support/error.h"

namespace ratectl::commands::watch {

class ServerHealth {
public:
    void begin_round();
    void note_answer(const domain::Node& node, bool stale);
    void note_failure(const domain::Node& node, const support::Error& error);

    struct Change {
        domain::Node node;
        domain::WindowEvent event = domain::WindowEvent::failed;  // or stale, or back
        std::optional<support::Error> error;                      // failed
    };
    /// What this round has shown. A server that fails and answers in one round has answered.
    std::vector<Change> end_round();

    bool has_answered(const domain::Node& node) const;
    /// In the round that ended last.
    struct Failing {
        domain::Node node;
        support::Error error;
    };
    std::vector<Failing> failing() const;
    bool anyone_answers() const;

private:
    enum class State { well, stale, failed };
    struct Server {
        domain::Node node;
        State said = State::well;
        bool answered = false;
        bool stale = false;
        std::optional<support::Error> error;
    };
    Server& server(const domain::Node& node);
    static State state_of(const Server& server);

    std::map<std::string, Server> servers_;  // by shard and address
};

}  // namespace ratectl::commands::watch
