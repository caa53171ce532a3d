import Bluetooth
import Foundation
import Synchronization
import Testing

@testable import Gateway

@Suite(.timeLimit(.minutes(30))) struct EnrolmentFeedTests {
  private struct UnreadableError: Error {}

  /// Returns the monitors that the enrollment feed emits, given the result of each read and the number of
  /// changes.
  private func handedOn(_ reads: [Result<Int, UnreadableError>], changes count: Int) async throws -> [Int] {
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<count { change.yield() }
    change.finish()
    let left = Mutex(reads)
    let taken = Mutex<[Int]>([])
    let feed = try await EnrolmentFeed(changes: changes, pause: .milliseconds(1)) {
      let bits = try left.withLock { $0.removeFirst() }.get()
      return [
        EnrolledMonitor(
          address: BluetoothAddress(bits: UInt64(bits), kind: .random), isBonded: false,
          enrolled: ReceiptTime(microsecondsSince1970: 0))
      ]
    }
    await feed.run { monitors in taken.withLock { $0 += monitors.map { Int($0.address.bits) } } }
    return taken.withLock { $0 }
  }

  @Test func `a later read that fails is retried without waiting for the next change`() async throws {
    let monitors = try await handedOn(
      [.success(1), .failure(UnreadableError()), .failure(UnreadableError()), .success(2), .success(3)],
      changes: 2)
    #expect(monitors == [1, 2, 3])
  }

  @Test func `a store that cannot be read at the start is an error`() async throws {
    await #expect(throws: UnreadableError.self) {
      _ = try await handedOn([.failure(UnreadableError()), .success(1)], changes: 1)
    }
  }
}
