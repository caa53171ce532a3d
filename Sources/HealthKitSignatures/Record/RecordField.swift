/// A field of a signed record. The raw value is its key in the signed content.
public enum RecordField: String, CaseIterable, Hashable, Sendable {
  case type
  case value
  case unit
  case startDate
  case endDate
}
