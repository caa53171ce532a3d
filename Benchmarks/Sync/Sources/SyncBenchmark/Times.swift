import Foundation

/// What some work takes: processor time of this process, user and system, and time by the clock.
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

/// The greatest resident set so far, in KiB.
var peakMemory: Int {
  var usage = rusage()
  // RUSAGE_SELF, which is imported as another type.
  getrusage(0, &usage)
  return usage.ru_maxrss
}
