// The program with one scheme more.
#include "app/run.h"
#include "counter/counter_scheme.h"
#include "schemes/book.h"

int main(int argc, char** argv) {
    ratectl::schemes::add_scheme(
        "counter", [](const ratectl::domain::Layout&) { return std::make_unique<ratectl::test::CounterScheme>(); });
    return ratectl::app::run(argc, argv);
}
