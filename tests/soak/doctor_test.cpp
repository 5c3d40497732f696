// The whole promise of doctor at its size: 200,000 windows, 1,000 faults.
#include "cli/doctor_box.h"
#include "support/catch.h"

TEST_CASE("doctor finds and repairs a thousand faults among two hundred thousand windows") {
    ratectl::test::DoctorBox planted(200'000, 1'000);
    ratectl::test::examine_and_repair(planted);
}
