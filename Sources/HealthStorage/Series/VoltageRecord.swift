/// The voltages of one lead of a recording, in one unit.
package struct LeadRecord: Hashable, Sendable {
  /// The raw value of the lead.
  package var lead: Int64
  package var unit: String
  /// For each time of the recording; nil where the lead was not measured.
  package var voltages: [Double?]

  package init(lead: Int64, unit: String, voltages: [Double?]) {
    self.lead = lead
    self.unit = unit
    self.voltages = voltages
  }
}

/// What an electrocardiogram measured.
package struct VoltageRecord: Hashable, Sendable {
  /// Seconds since the start of the recording.
  package var times: [Double]
  /// Each with a voltage for each time.
  package var leads: [LeadRecord]

  package init(times: [Double], leads: [LeadRecord]) {
    self.times = times
    self.leads = leads
  }
}
