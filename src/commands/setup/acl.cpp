// Writes ACL rules from the configuration; asks the servers only for their version, and only where it is not given.
#include "commands/all_commands.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "commands/report/row_writer.h"
#include "commands/setup/acl_rules.h"
#include "support/ascii.h"

namespace ratectl::commands {
namespace {

using support::Failure;

constexpr std::string_view kAclSchema = "ratectl.acl.v1";
constexpr std::size_t kHexDigitsOfSha256 = 64;

struct AclRequest {
    domain::Rights rights = domain::Rights::look;
    std::optional<std::string> user;
    std::optional<std::string> password_sha256;
    std::optional<std::string> server;
    std::string format = "redis-cli";
};

void bind_account(Syntax syntax, AclRequest& request) {
    syntax.add_option("--user", request.user, "the account's name, ratectl-reader or ratectl-operator unless said")
        .type_name("NAME");
    syntax.add_option("--password-sha256", request.password_sha256, "the SHA-256 of its password, in hex")
        .type_name("HEX");
    syntax
        .add_option("--server", request.server,
                    "the kind of servers: 6, or 7 for every later one and Valkey; else they are asked")
        .type_name("6|7");
    syntax
        .add_option("--format", request.format, "a command for redis-cli (unless said), or a line of the file of users")
        .type_name("redis-cli|aclfile");
}

void bind_acl(Syntax syntax, AclRequest& request) {
    auto reader = syntax.add_subcommand("reader", "an account that can look, and change nothing", request.rights,
                                        domain::Rights::look);
    bind_account(reader, request);
    auto changes = syntax.add_subcommand("operator", "an account that can look, and change windows", request.rights,
                                         domain::Rights::change);
    bind_account(changes, request);
}

std::string user_of(const AclRequest& request) {
    if (!request.user) return request.rights == domain::Rights::look ? "ratectl-reader" : "ratectl-operator";
    const auto& name = *request.user;
    const auto is_plain = [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\'' && c != '\\'; };
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_plain))
        support::throw_usage(fmt::format("--user '{}' is not a name for an account", name),
                             "use letters, digits, - and _");
    if (name == "default") {
        support::throw_usage(
            "--user default: every client that does not log in is this user, the applications perhaps among them",
            "name an account of its own, for instance --user ratectl");
    }
    return name;
}

std::string password_of(const AclRequest& request) {
    if (!request.password_sha256) return {};
    std::string digest = support::lower(*request.password_sha256);
    const bool is_hex = digest.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (digest.size() != kHexDigitsOfSha256 || !is_hex) {
        // Not quoted: it may be the password itself.
        support::throw_usage(
            "--password-sha256 takes 64 digits in hex: the SHA-256 of the password, never the password",
            "read -rs password; printf %s \"$password\" | sha256sum");
    }
    return digest;
}

/// Generation -> the servers of it, by address.
using Generations = std::map<int, std::vector<std::string>>;

Generations asked_generations(Context& context) {
    Generations found;
    std::string why;  // it is not said
    try {
        for (const auto& [node, facts] : context.store().node_reports()) {
            const auto version = facts ? facts->version : std::nullopt;
            if (!version) {
                why = facts ? node.name() + ": INFO is not allowed" : facts.error().message;
            } else if (version->major < domain::kOldestWithUsers) {
                context.messages().warning(
                    fmt::format("shard '{}' ({}): Redis {} has no users, only one password for everything", node.shard,
                                node.name(), domain::to_string(*version)));
            } else {
                found[domain::acl_generation(version)].push_back(node.name());
            }
        }
    } catch (const Failure& failure) {
        why = failure.error().message;  // no password, for instance: no server can be asked
    }
    if (!why.empty()) {
        context.messages().notice("not every server says which version it is: " + why,
                                  "--server 6 or --server 7 says it, and no server is asked");
    }
    return found;
}

Generations generations_of(const AclRequest& request, const config::Settings& settings, Context& context) {
    if (request.server) {
        if (*request.server != "6" && *request.server != "7") {
            support::throw_usage(fmt::format("--server '{}' is not a kind of server", *request.server),
                                 "6, or 7 for every later one and Valkey");
        }
        return {{*request.server == "6" ? domain::kOldestWithUsers : domain::kReadsKeysApart, {}}};
    }
    auto found = directory_of(settings)->places().empty() ? Generations{} : asked_generations(context);
    if (found.empty()) {
        context.messages().notice("these rules are for Redis 7 and later, and for Valkey", "Redis 6 needs --server 6");
        found[domain::kReadsKeysApart];
    }
    return found;
}

void say_what_to_do(const AclRequest& request, const config::Settings& settings, const Generations& generations,
                    Context& context) {
    auto& messages = context.messages();
    if (generations.size() > 1) {
        for (const auto& [generation, servers] : generations) {
            messages.notice(fmt::format(
                "{} line is for Redis {}: {}", generation == generations.begin()->first ? "the first" : "the second",
                generation == domain::kReadsKeysApart ? "7 and later" : "6", fmt::join(servers, ", ")));
        }
    }
    if (settings.policies.empty()) {
        messages.notice("no policy says which keys are windows, so the account may touch every key",
                        "name them in the configuration's policies, or with --key, for example --key 'core:{client}'");
    } else if (has_unpastable_bytes(settings)) {
        messages.notice("a key has bytes that cannot be pasted; each is a ?, which stands for any one byte");
    }
    if (!request.password_sha256) {
        messages.notice("the password is not in it: put its SHA-256 in the place of <sha256-of-the-password>",
                        "read -rs password; printf %s \"$password\" | sha256sum");
    }
    messages.notice("every server needs it, replicas too: accounts are not replicated",
                    request.format == "aclfile" ? "ACL LOAD reads the file again"
                                                : "ACL SAVE or CONFIG REWRITE keeps it over a restart");
}

/// Lines to paste where people read; elsewhere a row a rule.
bool prints_lines(Context& context) {
    return context.sink_options(kAclSchema).format == output::Format::table && !context.options().columns;
}

ExitCode run_acl(const AclRequest& request, Context& context) {
    if (answer_columns_help(context, output::columns_of(acl_fields()))) return ExitCode::done;
    if (request.format != "redis-cli" && request.format != "aclfile")
        support::throw_usage(fmt::format("--format '{}' is not one of its values", request.format),
                             "redis-cli or aclfile");
    AclAccount account{request.rights, user_of(request), password_of(request)};
    const auto settings = context.settings_without_servers();
    const auto generations = generations_of(request, settings, context);
    const bool lines = prints_lines(context);
    std::optional<RowWriter<AclRow>> writer;
    if (!lines) writer.emplace(context, acl_fields(), kAclSchema);
    for (const auto& [generation, servers] : generations) {
        account.generation = generation;
        const auto rules = acl_rules(account, settings);
        if (lines) {
            const auto line =
                request.format == "aclfile" ? acl_file_line(account, rules) : acl_setuser_line(account, rules);
            context.out().write(line + "\n");
        }
        for (std::size_t i = 0; !lines && i < rules.size(); ++i) writer->write({account, rules[i]});
    }
    if (lines) context.out().flush();
    const ExitCode printed = lines ? ExitCode::done : writer->end({});
    say_what_to_do(request, settings, generations, context);
    return printed;
}

}  // namespace

Command acl_command() {
    return {"acl", Group::set_up, "the least rights on the servers that ratectl needs, to be pasted there",
            "# an account that can only look, for redis-cli at every server\n"
            "ratectl acl reader\n"
            "# why does it need each of these?\n"
            "ratectl acl operator -o wide\n"
            "# for the file of users, with the password that was made for it\n"
            "ratectl acl operator --format aclfile --password-sha256 \\\n"
            "    0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"
            "# without a configuration and without a server\n"
            "ratectl acl reader --key 'core:{client}' --server 7",
            bind_request<AclRequest, bind_acl, run_acl>};
}

}  // namespace ratectl::commands
