/// The voltages of one lead of an electrocardiogram.
package struct LeadRecord: Hashable, Sendable {
  /// The raw value of HealthKit's enumeration of leads.
  package var lead: Int64
  package var unit: String
  /// One element for each time of the electrocardiogram; `nil` if the lead was not measured at that time.
  package var voltages: [Double?]

  package init(lead: Int64, unit: String, voltages: [Double?]) {
    self.lead = lead
    self.unit = unit
    self.voltages = voltages
  }
}

/// The voltages of an electrocardiogram.
package struct VoltageRecord: Hashable, Sendable {
  /// The times of the voltages, in seconds since the start.
  package var times: [Double]
  /// The leads. Each has one element for each time.
  package var leads: [LeadRecord]

  package init(times: [Double], leads: [LeadRecord]) {
    self.times = times
    self.leads = leads
  }
}
