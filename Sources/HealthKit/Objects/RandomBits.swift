import Glibc
import Synchronization

/// Random bits from the system, fetched some words at a time: one by one, a system call would cost more than
/// all the rest of making a sample.
enum RandomBits {
  private struct Pool {
    var words: [UInt64] = []
    /// How many forks lay behind the process that fetched them.
    var forks = 0
  }

  private static let pool = Mutex(Pool())

  /// How many forks lie behind this process. A copy of a process must not use the words of the original
  /// again.
  private static let forks = Atomic<Int>(0)
  private static let countsForks: Bool =
    pthread_atfork(nil, nil, { RandomBits.forks.add(1, ordering: .relaxed) }) == 0

  static func next() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    guard countsForks else { return generator.next() }
    // Do not wait for the lock: after a fork a thread that no longer exists may hold it.
    let word = pool.withLockIfAvailable { pool in
      let forks = forks.load(ordering: .relaxed)
      if pool.forks != forks || pool.words.isEmpty {
        pool.words = fetched() ?? [generator.next()]
        pool.forks = forks
      }
      return pool.words.removeLast()
    }
    return word ?? generator.next()
  }

  /// As many words as the system gives at once; nil if it gives none.
  private static func fetched() -> [UInt64]? {
    var words = [UInt64](repeating: 0, count: 256 / MemoryLayout<UInt64>.size)
    return words.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) } == 0 ? words : nil
  }
}
