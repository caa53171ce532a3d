public import Foundation
import HealthStorage

/// A recording of the heart's voltage, and what was made of it. Programs read recordings and cannot make
/// them.
// @unchecked: as for HKObject.
open class HKElectrocardiogram: HKSample, @unchecked Sendable {
  /// How many voltages were recorded.
  public let numberOfVoltageMeasurements: Int
  /// How often the voltage was measured.
  public let samplingFrequency: HKQuantity?
  public let classification: Classification
  /// Over the whole recording.
  public let averageHeartRate: HKQuantity?
  public let symptomsStatus: SymptomsStatus
  /// The voltages of a recording that is not stored yet; a query leaves them in the store.
  package let voltageMeasurements: [VoltageMeasurement]?

  init(
    _ findings: Findings, count: Int, _ voltageMeasurements: [VoltageMeasurement]?,
    _ interval: SampleInterval, _ origin: ObjectOrigin
  ) {
    numberOfVoltageMeasurements = count
    samplingFrequency = findings.samplingFrequency
    classification = findings.classification
    averageHeartRate = findings.averageHeartRate
    symptomsStatus = findings.symptomsStatus
    self.voltageMeasurements = voltageMeasurements
    super.init(ObjectTypes.electrocardiogram, interval, origin)
  }

  /// The archive, and the voltages, without which a recording has no place in a store.
  override var content: SampleRecord.Content? {
    guard let voltageMeasurements, case .archive(let archive)? = super.content else { return nil }
    return .recording(archive: archive, voltages: VoltageCodec.encode(VoltageRecord(voltageMeasurements)))
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(numberOfVoltageMeasurements, forKey: ArchiveKey.count)
    coder.encodePresent(samplingFrequency, forKey: ArchiveKey.samplingFrequency)
    coder.encode(classification.rawValue, forKey: ArchiveKey.classification)
    coder.encodePresent(averageHeartRate, forKey: ArchiveKey.averageHeartRate)
    coder.encode(symptomsStatus.rawValue, forKey: ArchiveKey.symptomsStatus)
  }

  /// An archive has the recording without its voltages, which are the store's.
  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) == ObjectTypes.electrocardiogram,
      let count = coder.integer(forKey: ArchiveKey.count), count >= 0,
      let samplingFrequency = coder.presence(HKQuantity.self, forKey: ArchiveKey.samplingFrequency),
      let classification = coder.value(Classification.self, forKey: ArchiveKey.classification),
      let averageHeartRate = coder.presence(HKQuantity.self, forKey: ArchiveKey.averageHeartRate),
      let symptomsStatus = coder.value(SymptomsStatus.self, forKey: ArchiveKey.symptomsStatus),
      let findings = try? Findings(
        samplingFrequency: samplingFrequency.object, classification: classification,
        averageHeartRate: averageHeartRate.object, symptomsStatus: symptomsStatus)
    else { return nil }
    numberOfVoltageMeasurements = count
    self.samplingFrequency = findings.samplingFrequency
    self.classification = findings.classification
    self.averageHeartRate = findings.averageHeartRate
    self.symptomsStatus = findings.symptomsStatus
    voltageMeasurements = nil
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let count = "numberOfVoltageMeasurements"
    static let samplingFrequency = "samplingFrequency"
    static let classification = "classification"
    static let averageHeartRate = "averageHeartRate"
    static let symptomsStatus = "symptomsStatus"
  }
}

// MARK: - Making electrocardiograms

extension HKElectrocardiogram {
  /// A whole recording, or the reason why there cannot be one: for a store and for imports, not for programs.
  /// - Parameters:
  ///   - voltageMeasurements: in the order of time, none before `start`.
  ///   - samplingFrequency: positive.
  package static func make(
    start: Date, end: Date, voltageMeasurements: [VoltageMeasurement], samplingFrequency: HKQuantity?,
    classification: Classification, averageHeartRate: HKQuantity?, symptomsStatus: SymptomsStatus,
    device: HKDevice? = nil, metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKElectrocardiogram {
    let findings = try Findings(
      samplingFrequency: samplingFrequency, classification: classification,
      averageHeartRate: averageHeartRate, symptomsStatus: symptomsStatus)
    try check(voltageMeasurements)
    return HKElectrocardiogram(
      findings, count: voltageMeasurements.count, voltageMeasurements,
      try SampleInterval(start: start, end: end, of: ObjectTypes.electrocardiogram),
      try ObjectOrigin(device: device, metadata: metadata))
  }

  private static func check(_ measurements: [VoltageMeasurement]) throws(HKValidationError) {
    let times = measurements.map(\.timeSinceSampleStart)
    guard zip(times, times.dropFirst()).allSatisfy(<) else {
      throw HKValidationError("the voltages of an electrocardiogram are not in the order of time")
    }
  }
}
