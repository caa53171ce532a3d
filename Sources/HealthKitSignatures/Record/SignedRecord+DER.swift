extension SignedRecord {
  /// The signed content: the fields as a property list in DER.
  ///
  /// ```
  /// Record ::= SET OF Entry
  /// Entry ::= SEQUENCE { key UTF8String, value Value }
  /// Value ::= CHOICE { text UTF8String, number INTEGER, date GeneralizedTime }
  /// ```
  ///
  /// The entries of a property list have no order, so their type is SET OF, which DER sorts by the bytes of
  /// the entries. Each key occurs exactly once:
  ///
  /// - `type`: text with the identifier of the type.
  /// - `value`: with a unit, text with the shortest decimal that parses to the same Double; without a unit,
  ///   INTEGER.
  /// - `unit`: text with `HKUnit.unitString`; absent for a category sample.
  /// - `startDate`, `endDate`: date in UTC, exact to the microsecond.
  ///
  /// Numbers are text instead of ASN.1's REAL, because few libraries write REAL.
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

  /// Decodes the content of a signature.
  ///
  /// The content must be DER: other encoding rules, trailing bytes, and unsorted, unknown or repeated keys
  /// are errors. A value may be any decimal, not only the shortest.
  ///
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
      // Do not include the unknown key in the error, because an attacker may have chosen it.
      guard let field = RecordField(rawValue: entry.key) else {
        throw SignatureError(.malformedContent, "the record has an unknown key")
      }
      guard values.updateValue(entry.value, forKey: field) == nil else {
        throw SignatureError(.malformedContent, "the record has \(field) twice")
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
        throw SignatureError(.malformedContent, "the record's value has no unit and is not an integer")
      }
      return .category(Int(number))
    }
    guard let number = DecimalText.number(try text(.value, values)) else {
      throw SignatureError(.malformedContent, "the record's value is not a finite decimal number")
    }
    return .quantity(number, unit: try text(.unit, values))
  }

  private static func present(_ field: RecordField, _ values: Values) throws(SignatureError)
    -> PropertyListEntry.Value
  {
    guard let value = values[field] else {
      throw SignatureError(.malformedContent, "the record has no \(field)")
    }
    return value
  }

  private static func text(_ field: RecordField, _ values: Values) throws(SignatureError) -> String {
    guard case .text(let text) = try present(field, values) else {
      throw SignatureError(.malformedContent, "\(field) of the record is not a text")
    }
    return text
  }

  private static func date(_ field: RecordField, _ values: Values) throws(SignatureError) -> UTCInstant {
    guard case .date(let instant) = try present(field, values) else {
      throw SignatureError(.malformedContent, "\(field) of the record is not a date")
    }
    return instant
  }
}

/// Conversions between Double and decimal text.
enum DecimalText {
  /// Maximum number of characters that are parsed. A Double needs at most 24, or more if it is written
  /// without an exponent.
  static let longest = 64

  /// Returns the shortest decimal that parses to the same number. Whole numbers have no decimal point.
  static func of(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Returns the number, or `nil` for anything other than a decimal, with an optional exponent, in the range
  /// of Double.
  static func number(_ text: String) -> Double? {
    // Double would also accept hexadecimal numbers, "nan" and "inf".
    let characters = text.utf8
    guard characters.count <= longest, let first = characters.first, first != UInt8(ascii: "+"),
      characters.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text),
      number.isFinite
    else { return nil }
    return number
  }
}
