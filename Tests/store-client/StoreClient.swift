import Foundation
import Gateway
import Glibc
import HealthKit
import HealthStorage

/// A program that uses a store, for tests that need several processes or have to kill one.
///
///     store-client write PATH FIRST SIZE RATE     saves batches and prints the number of each saved batch
///     store-client follow PATH                    prints the value of each sample that is saved
///     store-client statistics PATH                queries statistics repeatedly, prints the sample count
///     store-client gateway PATH                   becomes the gateway of the store, then prints "ready"
///     store-client record PATH                    runs a gateway without monitors
///     store-client measure PATH SEED START        runs a gateway for two simulated straps and prints each
///                                                 frame: address, receipt time, heart rate (- if it must
///                                                 not be stored), intervals
///     store-client timed PATH SEED SECONDS SPEED  runs a gateway for one simulated strap for SECONDS of its
///                                                 time, which passes SPEED times as fast; prints the receipt
///                                                 time of each frame (Benchmarks/disk-writes)
///     store-client enrol PATH STRAPS              enrolls simulated straps
///     store-client seal PATH STRAPS SECONDS       writes SECONDS of their measurements to the inbox of the
///                                                 locked store; prints the number of frames
///                                                 (Benchmarks/Encryption)
///
/// A batch is SIZE heart rates whose value is the number of the batch. RATE is the number of batches per
/// second; 0 means no limit. A client runs until its standard input ends.
@main
struct StoreClient {
  static let unit = HKUnit(from: "count/min")
  static let heartRate = HKQuantityType(.heartRate)

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 2 else { exit(2) }
    let night = SealedNight(straps: number(arguments, 3), duration: .seconds(number(arguments, 4)))
    // A locked store cannot be opened.
    if arguments[1] == "seal" { return try await night.seal(storeAt: arguments[2]) }
    let store = try HKHealthStore(storeAt: arguments[2])
    if arguments[1] == "enrol" { return try await night.enrol(in: store) }
    let work = Task {
      switch arguments[1] {
      case "write":
        try await write(
          store, first: number(arguments, 3), size: number(arguments, 4), rate: number(arguments, 5))
      case "follow": try await follow(store)
      case "gateway":
        try store.systemDatabase().becomeGateway()
        say("ready")
        try await Task.sleep(for: .seconds(3600))
      case "record":
        var policy = LivePolicy()
        policy.derivesFigures = false
        try await HeartRateGateway(MonitorRegistry(store), central: SilentCentral(), policy: policy).run()
      case "statistics": try await askForStatistics(store)
      case "measure":
        try await SimulatedStraps(seed: UInt64(number(arguments, 3)), start: Int64(number(arguments, 4)))
          .measure(into: store)
      case "timed":
        try await TimedStrap(
          seed: UInt64(number(arguments, 3)), duration: .seconds(number(arguments, 4)),
          speed: max(1, number(arguments, 5))
        ).measure(into: store)
      default: exit(2)
      }
    }
    Thread.detachNewThread {
      while getchar() != EOF {}
      work.cancel()
    }
    do {
      try await work.value
    } catch is CancellationError {
    } catch {
      say("error \(error)")
      exit(1)
    }
  }

  private static func number(_ arguments: [String], _ index: Int) -> Int {
    index < arguments.count ? Int(arguments[index]) ?? 0 : 0
  }

  private static func write(_ store: HKHealthStore, first: Int, size: Int, rate: Int) async throws {
    var batch = first
    let clock = ContinuousClock()
    let begin = clock.now
    while !Task.isCancelled {
      let samples = (0..<size).map { place in
        let date = Date(timeIntervalSince1970: Double(batch) + Double(place) / Double(size))
        return HKQuantitySample(
          type: heartRate, quantity: HKQuantity(unit: unit, doubleValue: Double(batch)), start: date,
          end: date)
      }
      try await store.save(samples)
      say("\(batch)")
      batch += 1
      guard rate > 0 else { continue }
      try await clock.sleep(until: begin + .seconds(1) * (batch - first) / rate)
    }
  }

  private static func follow(_ store: HKHealthStore) async throws {
    let query = HKAnchoredObjectQueryDescriptor(
      predicates: [.quantitySample(type: heartRate)], anchor: nil)
    say("ready")
    for try await result in query.results(for: store) {
      for sample in result.addedSamples { say("\(Int(sample.quantity.doubleValue(for: unit)))") }
    }
  }

  private static func askForStatistics(_ store: HKHealthStore) async throws {
    let query = HKStatisticsCollectionQueryDescriptor(
      predicate: .quantitySample(type: heartRate), options: [.discreteAverage, .discreteMax],
      anchorDate: Date(timeIntervalSince1970: 0), intervalComponents: DateComponents(minute: 1))
    while !Task.isCancelled {
      let statistics = try await query.result(for: store).statistics()
      say("\(statistics.reduce(0) { $0 + $1.sampleCount })")
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Writes without a buffer, because the reader of this line may kill the process next.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
  }
}
