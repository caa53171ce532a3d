import AppleHealthExport
import Foundation
import HealthKit
import HealthSystem
import Synchronization

/// Writes all samples of a store in the export format of Apple's Health app. `hrgate import` restores them
/// with the same UUIDs.
struct EverythingFile: Sendable {
  let store: SystemStore

  /// Collects text that has not been sent yet.
  private final class Text: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func append(_ text: String) { bytes.withLock { $0 += text.utf8 } }

    func drainAll() -> [UInt8] {
      bytes.withLock { bytes in
        defer { bytes = [] }
        return bytes
      }
    }
  }

  /// Writes the export. No transaction stays open while a slow client reads.
  func write(to body: ResponseBody) async throws {
    let (text, healthStore) = (Text(), store.healthStore)
    var writer = AppleHealthWriter { text.append($0) }
    try writer.begin(at: .now, StatedCharacteristic.all(in: healthStore))
    let stored = Set(try await store.sampleCounts().flatMap(\.counts.keys))
    for type in HKSampleType.known where stored.contains(type.identifier) {
      guard let span = try await healthStore.extent(of: type, nil) else { continue }
      var walk = SpanWalk(span)
      while let part = walk.next {
        let inPart = HKQuery.predicateForSamples(
          withStart: part.start, end: part.end, options: .strictStartDate)
        let count: Int
        (writer, count) = try await healthStore.reduceSamples(
          into: (writer, 0), [HKSamplePredicate<HKSample>.sample(type: type, predicate: inPart)]
        ) { state, sample in
          // Leave out a sample that the format cannot represent, as `hrgate export` does.
          _ = try state.0.write(sample)
          state.1 += 1
        }
        walk.found(count)
        try await body.write(text.drainAll())
      }
    }
    try writer.end()
    try await body.write(text.drainAll())
  }
}
