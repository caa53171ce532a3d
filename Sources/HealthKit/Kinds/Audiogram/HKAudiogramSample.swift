public import Foundation

/// A hearing test: the sensitivity of the ears at several frequencies.
///
/// The initializers trap on invalid arguments (Apple's raise an exception); `validated` throws instead.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKAudiogramSample: HKSample, @unchecked Sendable {
  /// 1 to 30 points in ascending order of frequency.
  public let sensitivityPoints: [HKAudiogramSensitivityPoint]

  init(
    _ sensitivityPoints: [HKAudiogramSensitivityPoint], _ interval: SampleInterval, _ origin: ObjectOrigin
  ) {
    self.sensitivityPoints = sensitivityPoints
    super.init(ObjectTypes.audiogram, interval, origin)
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(sensitivityPoints as NSArray, forKey: ArchiveKey.sensitivityPoints)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) == ObjectTypes.audiogram,
      let points = coder.objects(HKAudiogramSensitivityPoint.self, forKey: ArchiveKey.sensitivityPoints),
      (try? Self.check(points)) != nil
    else { return nil }
    sensitivityPoints = points
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let sensitivityPoints = "sensitivityPoints"
  }
}

// MARK: - Creating audiograms

extension HKAudiogramSample {
  /// Returns a new audiogram after checking values that come from outside the program.
  ///
  /// ```swift
  /// let audiogram = try HKAudiogramSample.validated(sensitivityPoints: points, start: start, end: end)
  /// ```
  ///
  /// - Throws: `HKValidationError` if the number of points is not 1 to 30, the frequencies are not in
  ///   ascending order, the end is before the start, or the metadata is invalid.
  public class func validated(
    sensitivityPoints: [HKAudiogramSensitivityPoint], start: Date, end: Date, device: HKDevice? = nil,
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKAudiogramSample {
    try check(sensitivityPoints)
    return HKAudiogramSample(
      sensitivityPoints, try SampleInterval(start: start, end: end, of: ObjectTypes.audiogram),
      try ObjectOrigin(device: device, metadata: metadata))
  }

  fileprivate static func check(_ points: [HKAudiogramSensitivityPoint]) throws(HKValidationError) {
    guard !points.isEmpty else { throw HKValidationError("an audiogram needs a sensitivity point") }
    guard points.count <= mostPoints else {
      throw HKValidationError("an audiogram has at most \(mostPoints) sensitivity points")
    }
    for (lower, higher) in zip(points, points.dropFirst()) {
      guard try lower.frequency.validatedCompare(higher.frequency) == .orderedAscending else {
        throw HKValidationError("the frequencies of an audiogram must be unique and ascending")
      }
    }
  }

  private static let mostPoints = 30
}

extension HKAudiogramSample {
  private convenience init(as other: HKAudiogramSample) {
    self.init(other.sensitivityPoints, other.interval, other.origin)
  }

  /// Creates an audiogram.
  /// - Parameters:
  ///   - sensitivityPoints: 1 to 30 points, each with a higher frequency than the previous one.
  ///   - start: Must not be after `end`.
  ///   - metadata: Values are String, NSNumber, Date or HKQuantity. A sync identifier requires a sync
  ///     version.
  public convenience init(
    sensitivityPoints: [HKAudiogramSensitivityPoint], start: Date, end: Date, device: HKDevice?,
    metadata: [String: Any]?
  ) {
    self.init(
      as: requiring(
        try HKAudiogramSample.validated(
          sensitivityPoints: sensitivityPoints, start: start, end: end, device: device, metadata: metadata)))
  }

  public convenience init(
    sensitivityPoints: [HKAudiogramSensitivityPoint], start: Date, end: Date, metadata: [String: Any]?
  ) {
    self.init(
      sensitivityPoints: sensitivityPoints, start: start, end: end, device: nil, metadata: metadata)
  }
}

/// The type of audiograms.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKAudiogramSampleType: HKSampleType, @unchecked Sendable {}
