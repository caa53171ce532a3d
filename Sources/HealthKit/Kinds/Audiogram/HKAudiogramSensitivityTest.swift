public import Foundation

/// The result of testing one ear at one frequency, and the test method. Immutable. Tests are equal if all
/// their values are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKAudiogramSensitivityTest: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  /// The sensitivity in dBHL. A value above 0 means reduced hearing.
  public let sensitivity: HKQuantity
  public let type: HKAudiogramConductionType
  /// Whether a masking noise was played to the other ear.
  public let masked: Bool
  public let side: HKAudiogramSensitivityTestSide
  /// The range to which the sensitivity was limited, if any.
  public let clampingRange: HKAudiogramSensitivityPointClampingRange?

  /// Creates a test result.
  /// - Parameter sensitivity: Must be finite and in dBHL.
  /// - Throws: `HKError` errorInvalidArgument if the sensitivity is not finite or in another unit. A
  ///   sensitivity outside the clamping range is accepted because Apple does not document that it must be
  ///   inside.
  public init(
    sensitivity: HKQuantity, type: HKAudiogramConductionType, masked: Bool,
    side: HKAudiogramSensitivityTestSide, clampingRange: HKAudiogramSensitivityPointClampingRange?
  ) throws {
    try Self.check(sensitivity)
    self.sensitivity = sensitivity
    self.type = type
    self.masked = masked
    self.side = side
    self.clampingRange = clampingRange
  }

  private static func check(_ sensitivity: HKQuantity) throws(HKError) {
    do {
      try sensitivity.checkFinite("a sensitivity", in: .decibelHearingLevel())
    } catch {
      throw HKError(invalid: error)
    }
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKAudiogramSensitivityTest else { return false }
    return other.sensitivity == sensitivity && other.type == type && other.masked == masked
      && other.side == side && other.clampingRange == clampingRange
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(sensitivity)
    hasher.combine(masked)
    hasher.combine(side)
    return hasher.finalize()
  }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(sensitivity, forKey: ArchiveKey.sensitivity)
    coder.encode(type.rawValue, forKey: ArchiveKey.type)
    coder.encode(masked, forKey: ArchiveKey.masked)
    coder.encode(side.rawValue, forKey: ArchiveKey.side)
    coder.encodePresent(clampingRange, forKey: ArchiveKey.clampingRange)
  }

  public required init?(coder: NSCoder) {
    guard let sensitivity = coder.object(HKQuantity.self, forKey: ArchiveKey.sensitivity),
      (try? Self.check(sensitivity)) != nil,
      let type = coder.value(HKAudiogramConductionType.self, forKey: ArchiveKey.type),
      let masked = coder.flag(forKey: ArchiveKey.masked),
      let side = coder.value(HKAudiogramSensitivityTestSide.self, forKey: ArchiveKey.side),
      let clampingRange = coder.presence(
        HKAudiogramSensitivityPointClampingRange.self, forKey: ArchiveKey.clampingRange)
    else { return nil }
    self.sensitivity = sensitivity
    self.type = type
    self.masked = masked
    self.side = side
    self.clampingRange = clampingRange.object
  }

  private enum ArchiveKey {
    static let sensitivity = "sensitivity"
    static let type = "type"
    static let masked = "masked"
    static let side = "side"
    static let clampingRange = "clampingRange"
  }
}
