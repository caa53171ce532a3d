import Foundation
import HealthKit
import HealthStorage
import HealthSystem
import StrapSimulator

/// One of the person's devices, as a source of samples. Its bundle identifier begins with `org.hrgate.demo`.
enum DemoSource: String, CaseIterable, Sendable {
  case watch
  case phone
  case scale
  case cuff

  var source: HKSource {
    let name =
      switch self {
      case .watch: "Demo Watch"
      case .phone: "Demo Phone"
      case .scale: "Demo Scale"
      case .cuff: "Demo Blood Pressure Monitor"
      }
    return HKSource(name: name, bundleIdentifier: "org.hrgate.demo.\(rawValue)")
  }
}

/// The samples of several days, collected until they are saved. Quantities are stored in columns, one per
/// source and type.
struct DemoSamples: Sendable {
  private struct Column: Hashable, Sendable {
    var source: DemoSource
    var type: HKQuantityTypeIdentifier
  }

  /// The end of the year. Samples that end later are not added.
  let end: Date
  let metadata: ObjectMetadata
  private let strap: HKSource
  private var identities: SplitMix64
  private var columns: [Column: MeasuredQuantities] = [:]
  private var strapRates: MeasuredQuantities
  private var samples: [DemoSource: [HKSample]] = [:]
  private var beats: [HKSample] = []

  init(strap: HKSource, end: Date, seed: UInt64, part: Int) throws {
    self.strap = strap
    self.end = end
    metadata = try ObjectMetadata(["org.hrgate.demo": NSNumber(value: true)])
    identities = SplitMix64(seed: seed, stream: 0x7575_6964_0000 &+ UInt64(part))
    let address = strap.bundleIdentifier.split(separator: ".").last.map(String.init) ?? ""
    strapRates = MeasuredQuantities(
      MeasuredKind(
        HKQuantityType(.heartRate), in: Self.unit(of: .heartRate), from: strap, by: Self.device(strap.name),
        metadata: metadata, monitor: address))
  }

  /// Number of samples.
  var count: Int {
    columns.values.reduce(strapRates.count + beats.count) { $0 + $1.count }
      + samples.values.reduce(0) { $0 + $1.count }
  }

  mutating func uuid() -> UUID {
    let (high, low) = (identities.next(), identities.next())
    var bytes = withUnsafeBytes(of: (high, low)) { Array($0) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.load(as: uuid_t.self)) }
  }

  // MARK: - Adding

  /// Adds a quantity, given in the unit that `unit(of:)` returns for its type.
  mutating func add(
    _ type: HKQuantityTypeIdentifier, _ value: Double, from start: Date, to last: Date? = nil,
    by source: DemoSource = .watch
  ) {
    let last = last ?? start
    guard last <= end else { return }
    let column = Column(source: source, type: type)
    let uuid = uuid()
    if columns[column] == nil { columns[column] = quantities(column) }
    columns[column]?.append(
      value, from: Self.microseconds(start), to: Self.microseconds(last), uuid: uuid)
  }

  /// Adds a heart rate from the chest strap.
  mutating func addStrapRate(_ value: Double, at time: Date) {
    guard time <= end else { return }
    strapRates.append(heartRate: value, at: Self.microseconds(time), occurrence: 0)
  }

  mutating func add(
    _ type: HKCategoryTypeIdentifier, _ value: Int, from start: Date, to last: Date,
    by source: DemoSource = .watch
  ) throws {
    guard last <= end, start < last else { return }
    let sample = try HKCategorySample.make(
      uuid: uuid(), type: HKCategoryType(type), value: value, start: start, end: last,
      device: Self.device(source.source.name), metadata: metadata)
    samples[source, default: []].append(sample)
  }

  /// Adds heartbeats from the chest strap.
  /// - Parameter offsets: Seconds since `start`, ascending.
  mutating func addBeats(_ offsets: [Double], from start: Date) throws {
    guard let last = offsets.last, start + last <= end else { return }
    let series = try HKHeartbeatSeriesSample(
      uuid: uuid(), start: start,
      beats: offsets.enumerated().map { index, offset in
        HKHeartbeatSeriesQueryDescriptor.Heartbeat(
          timeIntervalSinceStart: offset, precededByGap: index == 0)
      }, device: Self.device(strap.name), metadata: metadata)
    beats.append(series)
  }

  mutating func addBloodPressure(_ systolic: Double, _ diastolic: Double, at time: Date) throws {
    guard time <= end else { return }
    let device = Self.device(DemoSource.cuff.source.name)
    let pressures: [(HKQuantityTypeIdentifier, Double)] = [
      (.bloodPressureSystolic, systolic), (.bloodPressureDiastolic, diastolic),
    ]
    var parts: Set<HKSample> = []
    for (type, value) in pressures {
      parts.insert(
        try HKQuantitySample.make(
          uuid: uuid(), type: HKQuantityType(type),
          quantity: HKQuantity(unit: .millimeterOfMercury(), doubleValue: value), start: time, end: time,
          device: device, metadata: metadata))
    }
    let pair = try HKCorrelation.make(
      uuid: uuid(), type: HKCorrelationType(.bloodPressure), objects: parts, start: time, end: time,
      device: device, metadata: metadata)
    samples[.cuff, default: []].append(pair)
  }

  mutating func add(_ workout: HKWorkout.Whole) throws {
    guard workout.end <= end else { return }
    var workout = workout
    workout.device = Self.device(DemoSource.watch.source.name)
    workout.metadata = metadata
    samples[.watch, default: []].append(try HKWorkout.make(workout))
  }

  // MARK: - Saving

  func save(to store: SystemStore) async throws {
    let groups = DemoSource.allCases.compactMap { source in
      samples[source].map { (source: source.source, samples: $0) }
    }
    // Save the columns in a fixed order, so that the same seed always produces the same change log.
    let order = columns.keys.sorted {
      ($0.source.rawValue, $0.type.rawValue) < ($1.source.rawValue, $1.type.rawValue)
    }
    let measured = (order.compactMap { columns[$0] } + [strapRates]).filter { !$0.isEmpty }
    _ = try await store.healthStore.saveReporting(
      groups + (beats.isEmpty ? [] : [(source: strap, samples: beats)]), measured: measured, as: .segments,
      with: MonitorChangesRecord())
  }

  private func quantities(_ column: Column) -> MeasuredQuantities {
    let source = column.source.source
    return MeasuredQuantities(
      MeasuredKind(
        HKQuantityType(column.type), in: Self.unit(of: column.type), from: source,
        by: Self.device(source.name), metadata: metadata, monitor: source.bundleIdentifier))
  }

  private static func device(_ name: String) -> HKDevice {
    HKDevice(DeviceRecord([.name: name, .manufacturer: "hrgate", .model: "Demo"]))
  }

  private static func microseconds(_ date: Date) -> Int64 {
    Int64((date.timeIntervalSince1970 * 1e6).rounded())
  }

  /// Returns the unit in which values of a type are added.
  private static func unit(of type: HKQuantityTypeIdentifier) -> HKUnit {
    switch type {
    case .stepCount, .flightsClimbed: .count()
    case .distanceWalkingRunning, .distanceCycling: .meter()
    case .activeEnergyBurned, .basalEnergyBurned: .kilocalorie()
    case .appleExerciseTime: .minute()
    case .bodyMass: .gramUnit(with: .kilo)
    case .bodyFatPercentage, .oxygenSaturation: .percent()
    case .heartRateVariabilitySDNN: .secondUnit(with: .milli)
    case .bodyTemperature: .degreeCelsius()
    case .vo2Max: HKUnit(from: "ml/kg*min")
    default: HKUnit.count().unitDivided(by: .minute())
    }
  }
}
