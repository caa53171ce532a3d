public import Foundation
import HealthStorage

/// An electrocardiogram recording and its classification. Programs can read recordings but not create them.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKElectrocardiogram: HKSample, @unchecked Sendable {
  /// The number of recorded voltage measurements.
  public let numberOfVoltageMeasurements: Int
  /// The sampling rate of the voltages.
  public let samplingFrequency: HKQuantity?
  public let classification: Classification
  /// The average heart rate of the whole recording.
  public let averageHeartRate: HKQuantity?
  public let symptomsStatus: SymptomsStatus
  /// The voltages; nil if the recording was returned by a query, because queries do not read voltages.
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

  /// The content to store: the archive and the voltages. Nil if the voltages were not read.
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

  /// Decodes a recording without its voltages; an archive does not contain them.
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

// MARK: - Creating electrocardiograms

extension HKElectrocardiogram {
  /// Creates a complete recording. Not public, because programs cannot create recordings.
  /// - Parameters:
  ///   - voltageMeasurements: In order of time, none before `start`.
  ///   - samplingFrequency: Must be positive.
  /// - Throws: `HKValidationError` if a value is invalid.
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

/// The type of electrocardiograms. Programs can read them but not save them.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKElectrocardiogramType: HKSampleType, @unchecked Sendable {
  package override var isShareable: Bool { false }
}

// MARK: - Findings

extension HKElectrocardiogram {
  /// The properties of an electrocardiogram, except for its voltages, after validation.
  struct Findings: Sendable {
    let samplingFrequency: HKQuantity?
    let classification: Classification
    let averageHeartRate: HKQuantity?
    let symptomsStatus: SymptomsStatus

    /// Checks the properties.
    /// - Parameters:
    ///   - samplingFrequency: Must be positive.
    ///   - averageHeartRate: Must be in a unit compatible with a heart rate.
    init(
      samplingFrequency: HKQuantity?, classification: Classification, averageHeartRate: HKQuantity?,
      symptomsStatus: SymptomsStatus
    ) throws(HKValidationError) {
      if let samplingFrequency {
        guard samplingFrequency.is(compatibleWith: .hertz()) else {
          throw HKValidationError("a sampling frequency requires a unit compatible with Hz")
        }
        guard samplingFrequency.value > 0, samplingFrequency.value.isFinite else {
          throw HKValidationError("a sampling frequency must be positive")
        }
      }
      if let averageHeartRate, !HKQuantityType(.heartRate).is(compatibleWith: averageHeartRate.unit) {
        throw HKValidationError("an average heart rate requires a unit compatible with count/min")
      }
      self.samplingFrequency = samplingFrequency
      self.classification = classification
      self.averageHeartRate = averageHeartRate
      self.symptomsStatus = symptomsStatus
    }
  }
}
