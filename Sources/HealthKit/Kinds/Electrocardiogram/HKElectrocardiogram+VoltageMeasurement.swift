public import Foundation
import HealthStorage

extension HKElectrocardiogram {
  /// The voltages of the leads at one moment of an electrocardiogram. Immutable. Measurements are equal if
  /// time and voltages are equal.
  // @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
  open class VoltageMeasurement: NSObject, NSCopying, @unchecked Sendable {
    /// Seconds since the start of the recording.
    public let timeSinceSampleStart: TimeInterval
    let voltages: [Lead: HKQuantity]

    /// Creates a measurement.
    /// - Parameters:
    ///   - timeSinceSampleStart: Must be finite and not negative.
    ///   - voltages: Must be finite.
    package init(timeSinceSampleStart: TimeInterval, voltages: [Lead: HKQuantity]) throws(HKValidationError) {
      guard timeSinceSampleStart >= 0, timeSinceSampleStart.isFinite else {
        throw HKValidationError("a voltage must not precede its electrocardiogram")
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

    /// Returns the voltage of a lead, or nil if the lead was not measured.
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

extension VoltageRecord {
  /// Creates the stored form of measurements. All voltages of a lead are converted to the unit of the lead's
  /// first voltage.
  init(_ measurements: [HKElectrocardiogram.VoltageMeasurement]) {
    var units: [HKElectrocardiogram.Lead: HKUnit] = [:]
    for measurement in measurements {
      for (lead, voltage) in measurement.voltages where units[lead] == nil { units[lead] = voltage.unit }
    }
    let leads = units.sorted { $0.key.rawValue < $1.key.rawValue }.map { lead, unit in
      LeadRecord(
        lead: Int64(lead.rawValue), unit: unit.unitString,
        voltages: measurements.map { $0.voltages[lead]?.doubleValue(for: unit) })
    }
    self.init(times: measurements.map(\.timeSinceSampleStart), leads: leads)
  }

  /// The measurements of a stored record. Leads that only a newer version knows are skipped.
  /// - Throws: `HKError` unknownError if the stored measurements are invalid.
  var measurements: [HKElectrocardiogram.VoltageMeasurement] {
    get throws {
      do {
        var known: [(lead: HKElectrocardiogram.Lead, unit: HKUnit, voltages: [Double?])] = []
        for record in leads {
          guard let lead = HKElectrocardiogram.Lead(rawValue: Int(record.lead)) else { continue }
          known.append((lead, try HKUnit.validated(from: record.unit), record.voltages))
        }
        return try times.enumerated().map { index, time in
          var voltages: [HKElectrocardiogram.Lead: HKQuantity] = [:]
          for (lead, unit, values) in known {
            voltages[lead] = values[index].map { HKQuantity(unit: unit, doubleValue: $0) }
          }
          return try HKElectrocardiogram.VoltageMeasurement(timeSinceSampleStart: time, voltages: voltages)
        }
      } catch {
        throw HKError(.unknownError, reason: "\(error)")
      }
    }
  }
}
