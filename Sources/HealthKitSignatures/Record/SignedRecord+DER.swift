extension SignedRecord {
  /// The content that is signed: the fields as a property list in DER.
  ///
  /// ```
  /// Record ::= SET OF Entry
  /// Entry ::= SEQUENCE { key UTF8String, value Value }
  /// Value ::= CHOICE { text UTF8String, number INTEGER, date GeneralizedTime }
  /// ```
  ///
  /// A property list's dictionary has no order, so it is a SET OF, which DER sorts by the bytes of the
  /// entries. The keys, each exactly once:
  ///
  /// | key | value |
  /// |---|---|
  /// | `type` | text: the identifier of the type |
  /// | `value` | with a unit, text: the shortest decimal that is the same Double; without one, INTEGER |
  /// | `unit` | text: `HKUnit.unitString`; absent for a category sample |
  /// | `startDate`, `endDate` | date: UTC, exact to the microsecond |
  ///
  /// (ASN.1 has a REAL, but few libraries write it.)
  public var derEncoded: [UInt8] { DER.set(entries.map(\.derEncoded)) }

  private var entries: [PropertyListEntry] {
    func entry(_ field: RecordField, _ value: PropertyListEntry.Value) -> PropertyListEntry {
      PropertyListEntry(key: field.rawValue, value: value)
    }
    let common = [
      entry(.type, .text(type)), entry(.startDate, .date(startInstant)), entry(.endDate, .date(endInstant)),
    ]
    switch value {
    case .quantity(let number, let unit):
      return common + [entry(.value, .text(DecimalText.of(number))), entry(.unit, .text(unit))]
    case .category(let number):
      return common + [entry(.value, .number(Int64(number)))]
    }
  }

  /// Reads the content of a signature.
  ///
  /// Only DER: no other encoding rules, no bytes after the record, no unsorted, unknown or repeated key. A
  /// value may be any decimal, not only the shortest.
  /// - Throws: `malformedContent`.
  public init(derEncoded bytes: some Collection<UInt8>) throws(SignatureError) {
    do {
      try self.init(try PropertyListEntry.list(derEncoded: Array(bytes)))
    } catch {
      throw SignatureError(.malformedContent, error.reason)
    }
  }

  private init(_ entries: [PropertyListEntry]) throws(SignatureError) {
    var values: [RecordField: PropertyListEntry.Value] = [:]
    for entry in entries {
      // The unknown key is not repeated: it is the message's text, not ours.
      guard let field = RecordField(rawValue: entry.key) else {
        throw SignatureError(.malformedContent, "unknown key")
      }
      guard values.updateValue(entry.value, forKey: field) == nil else {
        throw SignatureError(.malformedContent, "\(field) is there twice")
      }
    }
    try self.init(
      type: try Self.text(.type, values), value: try Self.value(values),
      start: try Self.date(.startDate, values), end: try Self.date(.endDate, values))
  }

  private typealias Values = [RecordField: PropertyListEntry.Value]

  private static func value(_ values: Values) throws(SignatureError) -> Value {
    guard values[.unit] != nil else {
      guard case .number(let number) = try present(.value, values) else {
        throw SignatureError(.malformedContent, "value has no unit and is no integer")
      }
      return .category(Int(number))
    }
    guard let number = DecimalText.number(try text(.value, values)) else {
      throw SignatureError(.malformedContent, "value is not a finite decimal")
    }
    return .quantity(number, unit: try text(.unit, values))
  }

  private static func present(_ field: RecordField, _ values: Values) throws(SignatureError)
    -> PropertyListEntry.Value
  {
    guard let value = values[field] else { throw SignatureError(.malformedContent, "\(field) is missing") }
    return value
  }

  private static func text(_ field: RecordField, _ values: Values) throws(SignatureError) -> String {
    guard case .text(let text) = try present(field, values) else {
      throw SignatureError(.malformedContent, "\(field) is no text")
    }
    return text
  }

  private static func date(_ field: RecordField, _ values: Values) throws(SignatureError) -> UTCInstant {
    guard case .date(let instant) = try present(field, values) else {
      throw SignatureError(.malformedContent, "\(field) is no date")
    }
    return instant
  }
}
