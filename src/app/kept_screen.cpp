// Puts the terminal back after ncurses: its state is kept before ncurses changes it and forgotten once it is restored.
#include "app/kept_screen.h"

#include <utility>

#include "app/signals.h"
#include "output/leaving_sequence.h"

namespace ratectl::app {
namespace {

class KeptScreen final : public output::Screen {
public:
    KeptScreen(std::unique_ptr<TerminalKeeper> keeper, std::unique_ptr<output::Screen> screen)
        : keeper_(std::move(keeper)), screen_(std::move(screen)) {}
    output::ScreenSize size() override { return screen_->size(); }
    void draw(std::span<const output::ScreenLine> lines) override { screen_->draw(lines); }
    std::optional<output::Key> read_key(support::Milliseconds patience) override { return screen_->read_key(patience); }

private:
    std::unique_ptr<TerminalKeeper> keeper_;  // outlives the screen
    std::unique_ptr<output::Screen> screen_;
};

}  // namespace

std::unique_ptr<output::Screen> open_kept_screen(const output::ScreenOptions& options) {
    auto keeper = std::make_unique<TerminalKeeper>();
    auto screen = output::open_ncurses_screen(options);
    if (!screen) return nullptr;
    keeper->guard(output::leaving_sequence());
    return std::make_unique<KeptScreen>(std::move(keeper), std::move(screen));
}

}  // namespace ratectl::app
