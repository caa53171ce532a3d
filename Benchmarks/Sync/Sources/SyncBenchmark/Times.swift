import Foundation

/// The CPU time of this process, user and system, and the elapsed time of some work.
struct Times {
  var processor = 0.0
  var clock = 0.0

  mutating func measure<Result>(_ work: () async throws -> Result) async rethrows -> Result {
    let before = (Self.processor, ContinuousClock.now)
    defer {
      processor += Self.processor - before.0
      clock += (ContinuousClock.now - before.1) / .seconds(1)
    }
    return try await work()
  }

  private static var processor: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// The peak resident set size in KiB.
var peakMemory: Int {
  var usage = rusage()
  // RUSAGE_SELF, which Swift imports with a different type.
  getrusage(0, &usage)
  return usage.ru_maxrss
}
