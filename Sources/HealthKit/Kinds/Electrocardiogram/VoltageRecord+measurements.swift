import HealthStorage

extension VoltageRecord {
  /// Each lead is kept in the unit of its first voltage.
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

  /// - Throws: `HKError` for what no electrocardiogram measures. A lead that this version does not know,
  ///   which a newer one wrote, is left out.
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
