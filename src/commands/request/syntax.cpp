// Declares what commands accept, in CLI11's tree of options.
#include "commands/request/syntax.h"

#include <utility>

#include <CLI/CLI.hpp>

namespace ratectl::commands {

Option& Option::type_name(const std::string& name) {
    option_->type_name(name);
    return *this;
}

Option& Option::group(const std::string& heading) {
    option_->group(heading);
    return *this;
}

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::delimiter(char separator) {
    option_->delimiter(separator);
    return *this;
}

Option& Option::expected(int count) {
    option_->expected(count);
    return *this;
}

Option& Option::expected(int least, int most) {
    option_->expected(least, most);
    return *this;
}

Option& Option::excludes(Option other) {
    option_->excludes(other.option_);
    return *this;
}

Option Syntax::add_option(const std::string& names, std::string& value, const std::string& about) {
    return Option(*app_->add_option(names, value, about));
}

Option Syntax::add_option(const std::string& names, std::optional<std::string>& value, const std::string& about) {
    return Option(*app_->add_option(names, value, about));
}

Option Syntax::add_option(const std::string& names, std::vector<std::string>& values, const std::string& about) {
    return Option(*app_->add_option(names, values, about));
}

Option Syntax::add_option(const std::string& names, const std::function<void(const std::string&)>& take,
                          const std::string& about) {
    return Option(*app_->add_option_function<std::string>(names, take, about));
}

Option Syntax::add_flag(const std::string& names, bool& value, const std::string& about) {
    return Option(*app_->add_flag(names, value, about));
}

Option Syntax::option(const std::string& name) { return Option(*app_->get_option(name)); }

Syntax Syntax::add_subcommand(const std::string& name, const std::string& about, std::function<void()> when_chosen) {
    CLI::App& app = *app_->add_subcommand(name, about);
    if (when_chosen) app.callback(std::move(when_chosen));
    return app;
}

}  // namespace ratectl::commands
