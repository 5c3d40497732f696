// --from replica given by hand never reads a primary: another server's answer would be taken for a replica's.
#include <string>
#include <vector>

#include "cli/written_deployment.h"
#include "support/catch.h"

using namespace ratectl::test;

TEST_CASE("a replica asked for by hand is never stood in for by a primary") {
    // check and scan read the primary with a notice, and their rows looked like a replica's.
    const WrittenDeployment box(std::string(kFree) + "\nread_from = \"replica\"");
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"check", "core:1"}, {"scan"}, {"stats"}, {"check", "--match", "core:*"}}) {
        auto by_hand = command;
        by_hand.insert(by_hand.end(), {"--from", "replica"});
        const auto result = box.run(by_hand);
        INFO(result.err << result.out);
        CHECK(result.code == 4);
        CHECK(contains(result.err, "shard 'alpha': there is no replica, and --from replica reads no primary"));
        CHECK(contains(result.err, "hint: --from primary"));
        CHECK(box.run(command).code == 0);
    }
    RunOptions options;
    options.environment["RATECTL_FROM"] = "replica";
    CHECK(box.run({"check", "core:1"}, options).code == 4);
}
