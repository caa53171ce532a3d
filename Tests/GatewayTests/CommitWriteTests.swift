import Bluetooth
import Foundation
import HealthKit
import Ingestion
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

/// Measures how many pages of SQLite's write-ahead log live commits write.
@Suite struct CommitWriteTests {
  private static func time(_ seconds: Double) -> ReceiptTime {
    ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + Int64(seconds * 1e6))
  }

  /// Returns the number of pages written to the log since it was last reset.
  private static func loggedPages(_ store: String) throws -> Int {
    let size = try FileManager.default.attributesOfItem(atPath: store + "-wal")[.size] as? NSNumber
    return ((size?.intValue ?? 0) - 32) / (2048 + 24)
  }

  /// - Returns: The average number of pages written per commit, if each commit has one frame of each strap.
  private func pagesPerCommit(straps: Int, commits: Int) async throws -> Double {
    let folder = try TemporaryFolder()
    let path = folder.path("health.sqlite")
    let store = try HKHealthStore(storeAt: path)
    let registry = try MonitorRegistry(store)
    let peripherals = try await (0..<straps).asyncMap { index in
      let address = BluetoothAddress(bits: 0xC0FF_EE00_0001 + UInt64(index), kind: .random)
      try await registry.enrol(
        EnrolledMonitor(address: address, name: "Strap \(index)", isBonded: false, enrolled: Self.time(-1)))
      return PeripheralIdentity.address(address)
    }
    let clock = ManualClock()
    var policy = LivePolicy()
    policy.commitInterval = .seconds(1)
    let pipeline = LivePipeline(registry, policy: policy, clock: clock, wallTime: { Self.time(10_000) })
    let known = try await registry.known(try await registry.monitors())
    let (events, feed) = AsyncThrowingStream.makeStream(of: [CentralEvent].self)
    let stored = Mutex(0)
    async let ended = pipeline.run(GivenCentral(stream: events), known: known) { report in
      stored.withLock { $0 = report.tally.storedMeasurements }
    }
    var before = 0
    for second in 1...commits {
      feed.yield(
        peripherals.map { peripheral in
          .notified(
            ValueNotification(
              peripheral: peripheral, characteristic: .heartRateMeasurement,
              value: HeartRateMeasurement(heartRate: 60, rrTicks: [1000 + UInt16(second % 7)]).encoded,
              receiptTime: Self.time(Double(second))))
        })
      await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      #expect(await eventually { stored.withLock { $0 } == second * straps })
      if second == 10 { before = try Self.loggedPages(path) }
    }
    let after = try Self.loggedPages(path)
    // Beyond 1,000 pages SQLite may write the log from its start again, and its size no longer shows the
    // count.
    #expect(after < 1000, "the log may have been restarted")
    feed.finish()
    _ = await ended
    return Double(after - before) / Double(commits - 10)
  }

  /// The pages are the segments, their two indexes, and the beats of the series in progress. The monitors are
  /// written once a minute. One strap needs 4.1 pages. Eight straps have eight segments in each commit, which
  /// often begin a new page: 7.82.
  @Test func `a commit of one strap writes four pages, including the beats`() async throws {
    let ofOne = try await pagesPerCommit(straps: 1, commits: 60)
    #expect(ofOne < 4.2, "\(ofOne)")
    let ofEight = try await pagesPerCommit(straps: 8, commits: 60)
    #expect(ofEight < 7.9, "\(ofEight)")
  }
}

private struct GivenCentral: Central {
  let stream: AsyncThrowingStream<[CentralEvent], any Error>
  func events() -> AsyncThrowingStream<[CentralEvent], any Error> { stream }
}

extension Sequence {
  fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
    var result: [T] = []
    for element in self { result.append(try await body(element)) }
    return result
  }
}
