import Foundation

/// The CPU time of this process, user and system, in all threads.
enum CPUTime {
  static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func measure(_ work: () async throws -> Void) async throws -> Double {
    let before = seconds
    try await work()
    return seconds - before
  }
}
