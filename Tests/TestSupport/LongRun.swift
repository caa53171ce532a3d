import Foundation

/// Whether this is a long run: `HRGATE_LONG=1`, which `scripts/test --all` sets.
///
/// Tests with random seeds use few seeds in a normal run and more in a long one.
let isLongRun = ProcessInfo.processInfo.environment["HRGATE_LONG"] == "1"
