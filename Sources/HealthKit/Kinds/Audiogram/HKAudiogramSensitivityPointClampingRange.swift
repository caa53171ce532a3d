public import Foundation

/// The range to which a hearing test was limited, for safety or by the device. Immutable. Ranges are equal if
/// both bounds are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKAudiogramSensitivityPointClampingRange: NSObject, HKArchivable, NSCopying,
  @unchecked Sendable
{
  /// The lower bound in dBHL; nil if the range has no lower bound.
  public let lowerBound: HKQuantity?
  /// The upper bound in dBHL; nil if the range has no upper bound.
  public let upperBound: HKQuantity?

  /// Creates a range from bounds in dBHL.
  /// - Parameters:
  ///   - lowerBound: In dBHL. Must be less than `upperBound`. At least one bound is required.
  ///   - upperBound: In dBHL.
  /// - Throws: `HKError` errorInvalidArgument if the bounds do not form a range.
  public init(lowerBound: NSNumber?, upperBound: NSNumber?) throws {
    let lower = lowerBound?.doubleValue
    let upper = upperBound?.doubleValue
    try Self.check(lower, upper)
    self.lowerBound = lower.map(Self.level)
    self.upperBound = upper.map(Self.level)
  }

  private static func check(_ lower: Double?, _ upper: Double?) throws(HKError) {
    guard lower != nil || upper != nil else {
      throw HKError(.errorInvalidArgument, reason: "a clamping range needs a bound")
    }
    guard (lower ?? 0).isFinite, (upper ?? 0).isFinite else {
      throw HKError(.errorInvalidArgument, reason: "the bound of a clamping range must be finite")
    }
    if let lower, let upper, lower >= upper {
      throw HKError(
        .errorInvalidArgument, reason: "the lower bound of a clamping range must be less than the upper")
    }
  }

  private static func level(_ value: Double) -> HKQuantity {
    HKQuantity(unit: .decibelHearingLevel(), doubleValue: value)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKAudiogramSensitivityPointClampingRange else { return false }
    return other.lowerBound == lowerBound && other.upperBound == upperBound
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(lowerBound)
    hasher.combine(upperBound)
    return hasher.finalize()
  }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encodePresent(lowerBound.map { NSNumber(value: $0.value) }, forKey: ArchiveKey.lowerBound)
    coder.encodePresent(upperBound.map { NSNumber(value: $0.value) }, forKey: ArchiveKey.upperBound)
  }

  public required init?(coder: NSCoder) {
    guard let lower = coder.presence(NSNumber.self, forKey: ArchiveKey.lowerBound),
      let upper = coder.presence(NSNumber.self, forKey: ArchiveKey.upperBound),
      (try? Self.check(lower.object?.doubleValue, upper.object?.doubleValue)) != nil
    else { return nil }
    lowerBound = lower.object.map { Self.level($0.doubleValue) }
    upperBound = upper.object.map { Self.level($0.doubleValue) }
  }

  private enum ArchiveKey {
    static let lowerBound = "lowerBound"
    static let upperBound = "upperBound"
  }
}
