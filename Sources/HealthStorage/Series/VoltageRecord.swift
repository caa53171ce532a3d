/// The voltages of one lead of a recording, in one unit.
package struct LeadRecord: Hashable, Sendable {
  /// The raw value of the lead's enumeration.
  package var lead: Int64
  package var unit: String
  /// A voltage per time of the recording; nil if the lead was not measured then.
  package var voltages: [Double?]

  package init(lead: Int64, unit: String, voltages: [Double?]) {
    self.lead = lead
    self.unit = unit
    self.voltages = voltages
  }
}

/// The measurements of an electrocardiogram.
package struct VoltageRecord: Hashable, Sendable {
  /// Seconds since the start of the recording.
  package var times: [Double]
  /// Each has one voltage per time.
  package var leads: [LeadRecord]

  package init(times: [Double], leads: [LeadRecord]) {
    self.times = times
    self.leads = leads
  }
}
