import Foundation
import Glibc
import Synchronization

/// Random bits from the operating system. Several words are fetched at a time, because a system call per word
/// would take longer than all other work to create a sample.
enum RandomBits {
  private struct Pool {
    var words: [UInt64] = []
    /// The number of forks, as counted by `RandomBits.forks`, when the words were fetched. If the process has
    /// been forked since, the words must not be used.
    var forks = 0
  }

  private static let pool = Mutex(Pool())

  /// The number of forks between the original process and this one. A forked process must not reuse the
  /// random words of its parent.
  private static let forks = Atomic<Int>(0)
  private static let countsForks: Bool =
    pthread_atfork(nil, nil, { RandomBits.forks.add(1, ordering: .relaxed) }) == 0

  static func next() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    guard countsForks else { return generator.next() }
    // Do not wait for the lock: after a fork, a thread that no longer exists may hold it.
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

  /// Fetches as many random words as one system call provides. Returns nil if the call fails.
  private static func fetched() -> [UInt64]? {
    var words = [UInt64](repeating: 0, count: 256 / MemoryLayout<UInt64>.size)
    return words.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) } == 0 ? words : nil
  }
}

extension UUID {
  /// Returns a new version 7 UUID (RFC 9562 §5.7, §6.2 method 3).
  ///
  /// It starts with the time in units of 1/4096 ms, so that samples saved together are next to each other in
  /// the store's index. The remaining 62 bits are random.
  static func timeOrdered() -> UUID {
    let ticks = UInt64(max(0, Date().timeIntervalSince1970 * 1000 * 4096))
    let high = (ticks >> 12) << 16 | 0x7000 | ticks & 0x0FFF
    let low = 0x8000_0000_0000_0000 | RandomBits.next() & 0x3FFF_FFFF_FFFF_FFFF
    return UUID(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
  }
}
