public import Foundation

extension HKElectrocardiogram {
  /// The voltages of the leads at one moment of an electrocardiogram. Immutable; equal if time and voltages
  /// are.
  // @unchecked: open as Apple's class is, but its state is `let` and Sendable.
  open class VoltageMeasurement: NSObject, NSCopying, @unchecked Sendable {
    /// In seconds.
    public let timeSinceSampleStart: TimeInterval
    let voltages: [Lead: HKQuantity]

    /// - Parameters:
    ///   - timeSinceSampleStart: finite and not negative.
    ///   - voltages: finite.
    package init(timeSinceSampleStart: TimeInterval, voltages: [Lead: HKQuantity]) throws(HKValidationError) {
      guard timeSinceSampleStart >= 0, timeSinceSampleStart.isFinite else {
        throw HKValidationError("a voltage must not lie before its electrocardiogram")
      }
      for voltage in voltages.values {
        guard voltage.is(compatibleWith: .volt()) else {
          throw HKValidationError(
            "a voltage requires a unit compatible with V. Incompatible unit: \(voltage.unit)")
        }
        guard voltage.value.isFinite else { throw HKValidationError("a voltage must be finite") }
      }
      self.timeSinceSampleStart = timeSinceSampleStart
      self.voltages = voltages
    }

    /// The voltage of a lead; nil if the lead was not measured.
    public func quantity(for lead: Lead) -> HKQuantity? { voltages[lead] }

    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? VoltageMeasurement else { return false }
      return other.timeSinceSampleStart == timeSinceSampleStart && other.voltages == voltages
    }

    open override var hash: Int {
      var hasher = Hasher()
      hasher.combine(timeSinceSampleStart)
      hasher.combine(voltages)
      return hasher.finalize()
    }

    // MARK: - NSCopying

    public func copy(with zone: NSZone? = nil) -> Any { self }
  }
}
