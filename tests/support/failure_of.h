// The error that something ends with.
#pragma once

#include "support/catch.h"
#include "support/error.h"

namespace ratectl::test {

/// Of the Failure that `body` throws; fails when it throws none.
template <class Body>
support::Error failure_of(Body body) {
    try {
        body();
    } catch (const support::Failure& failure) {
        return failure.error();
    }
    FAIL("nothing was thrown");
    return {};
}

}  // namespace ratectl::test
