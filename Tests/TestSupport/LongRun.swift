import Foundation

/// Whether this is a long run: `HRGATE_LONG=1`, which `scripts/test --all` sets.
///
/// A test that plays seeds plays few of them in the run of every day, and more in the long one.
let isLongRun = ProcessInfo.processInfo.environment["HRGATE_LONG"] == "1"
