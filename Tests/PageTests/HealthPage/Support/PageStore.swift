import Foundation
import HealthDataSync
import HealthKit
import HealthStorage
import HealthSystem
import Synchronization

@testable import HealthPage
@testable import TestSupport

/// A store in a file, and a page for it.
struct PageStore {
  let folder: TemporaryFolder
  let file: String
  let system: SystemStore

  init() throws {
    folder = try TemporaryFolder()
    file = folder.path("s.sqlite")
    system = try SystemStore(at: file)
  }

  func page(monitors: PageMonitors = .none, rhythm: EventRhythm = .quick) -> PageServer {
    PageServer(StoreCache(system, file: file), monitors: monitors, rhythm: rhythm)
  }

  func save(_ rates: [Double], from start: Double = 0, as source: HKSource = .strap) async throws {
    try await system.save(rates, from: start, as: source)
  }

  /// Saves samples with the UUIDs of a gateway. Samples with other UUIDs are not compacted.
  func save(asGateway rates: [Double], from start: Double = 0, as source: HKSource = .strap) async throws {
    try await system.save(asGateway: rates, from: start, as: source)
  }
}

extension SystemStore {
  /// Saves samples of a quantity type with the UUIDs of a gateway.
  func save(
    asGateway rates: [Double], from start: Double = 0, as source: HKSource = .strap,
    of type: HKQuantityTypeIdentifier = .heartRate, _ unit: String = "count/min"
  ) async throws {
    var generator = SeededGenerator(seed: 8)
    let revision = SourceRevisionRecord(
      source: SourceRecord(bundleIdentifier: source.bundleIdentifier, name: source.name), version: nil,
      productType: nil, operatingSystem: "1.0.0")
    let records = rates.enumerated().map { place, rate in
      let time = Int64(moment(start + Double(place)).timeIntervalSince1970 * 1e6)
      return SampleRecord(
        uuid: gatewayUUID(end: time, &generator), type: type.rawValue,
        start: time, end: time, provenance: Provenance(revision: revision, device: nil),
        metadata: nil, content: .quantity(value: rate, unit: unit))
    }
    try await database.save(records)
  }

  /// Saves a heart rate every second, as a monitor does.
  func save(_ rates: [Double], from start: Double = 0, as source: HKSource = .strap) async throws {
    guard !rates.isEmpty else { return }
    try await healthStore.acting(as: source).save(
      rates.enumerated().map { heartRate($1, at: start + Double($0)) })
  }
}

extension HKSource {
  static let strap = HKSource(name: "Strap", bundleIdentifier: "org.hrgate.monitor.C0:FF:EE:00:00:01")
  static let watch = HKSource(name: "Watch", bundleIdentifier: "com.example.watch")
}

/// Returns a fixed time plus some seconds.
func moment(_ seconds: Double = 0) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + seconds) }

/// Returns the text of `moment(seconds)` for a request.
func time(_ seconds: Double) -> String { Timestamp.text(moment(seconds)) }

extension PageClient.Answer {
  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONLine.decode(type, from: body)
  }
}

func heartRate(_ rate: Double, at seconds: Double) -> HKQuantitySample {
  HKQuantitySample(
    type: HKQuantityType(.heartRate),
    quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: rate),
    start: moment(seconds), end: moment(seconds))
}

extension PageMonitors {
  /// The monitors of a machine without monitors and without a gateway.
  static let none = PageMonitors(
    report: { _, _ in MonitorReport(.init(isRunning: false, onBus: false), []) }, gaps: { _, _ in [] },
    changes: { AsyncStream { _ in } })
}

extension EventRhythm {
  /// Short pauses for tests that wait for events.
  static let quick = EventRhythm(
    afterCommit: .milliseconds(5), afterMonitors: .milliseconds(5), breath: .milliseconds(20))
  /// For tests with many streams: under a sanitizer, keep-alives of fifty streams every 20 ms would overload
  /// the machine.
  static let unhurried = EventRhythm(breath: .milliseconds(500))
}
