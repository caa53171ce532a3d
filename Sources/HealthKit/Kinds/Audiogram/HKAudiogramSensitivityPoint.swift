public import Foundation

/// The hearing sensitivity at one frequency. Immutable. Points are equal if frequency and tests are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKAudiogramSensitivityPoint: NSObject, HKArchivable, @unchecked Sendable {
  public let frequency: HKQuantity
  public let tests: [HKAudiogramSensitivityTest]

  /// Creates a point from tests.
  /// - Parameters:
  ///   - frequency: Must be positive and in a unit compatible with Hz.
  ///   - tests: May be empty.
  /// - Throws: `HKError` errorInvalidArgument if the frequency is invalid.
  public init(frequency: HKQuantity, tests: [HKAudiogramSensitivityTest]) throws {
    try Self.check(frequency)
    self.frequency = frequency
    self.tests = tests
  }

  /// Creates a point with an unmasked air-conduction test for each ear that has a sensitivity.
  /// - Parameters:
  ///   - frequency: Must be positive and in a unit compatible with Hz.
  ///   - leftEarSensitivity: Must be finite and in dBHL.
  ///   - rightEarSensitivity: Must be finite and in dBHL.
  /// - Throws: `HKError` errorInvalidArgument if the frequency or a sensitivity is invalid.
  public convenience init(
    frequency: HKQuantity, leftEarSensitivity: HKQuantity?, rightEarSensitivity: HKQuantity?
  ) throws {
    let ears: [(HKQuantity?, HKAudiogramSensitivityTestSide)] = [
      (leftEarSensitivity, .left), (rightEarSensitivity, .right),
    ]
    let tests = try ears.compactMap { sensitivity, side in
      try sensitivity.map {
        try HKAudiogramSensitivityTest(
          sensitivity: $0, type: .air, masked: false, side: side, clampingRange: nil)
      }
    }
    try self.init(frequency: frequency, tests: tests)
  }

  /// The sensitivity of the first test of the left ear.
  public var leftEarSensitivity: HKQuantity? { sensitivity(of: .left) }

  /// The sensitivity of the first test of the right ear.
  public var rightEarSensitivity: HKQuantity? { sensitivity(of: .right) }

  private func sensitivity(of side: HKAudiogramSensitivityTestSide) -> HKQuantity? {
    tests.first { $0.side == side }?.sensitivity
  }

  private static func check(_ frequency: HKQuantity) throws(HKError) {
    do {
      try frequency.check("a frequency", in: .hertz())
    } catch {
      throw HKError(invalid: error)
    }
    guard frequency.value > 0, frequency.value.isFinite else {
      throw HKError(.errorInvalidArgument, reason: "a frequency must be positive")
    }
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKAudiogramSensitivityPoint else { return false }
    return other.frequency == frequency && other.tests == tests
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(frequency)
    hasher.combine(tests)
    return hasher.finalize()
  }

  // MARK: - NSSecureCoding

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(frequency, forKey: ArchiveKey.frequency)
    coder.encode(tests as NSArray, forKey: ArchiveKey.tests)
  }

  public required init?(coder: NSCoder) {
    guard let frequency = coder.object(HKQuantity.self, forKey: ArchiveKey.frequency),
      (try? Self.check(frequency)) != nil,
      let tests = coder.objects(HKAudiogramSensitivityTest.self, forKey: ArchiveKey.tests)
    else { return nil }
    self.frequency = frequency
    self.tests = tests
  }

  private enum ArchiveKey {
    static let frequency = "frequency"
    static let tests = "tests"
  }
}
