package import HealthStorage

/// A metadata dictionary, checked and encoded once, to be shared by all the samples that carry it.
///
/// A program that makes many samples with the same metadata makes one of these; a sample then costs nothing
/// for it.
package final class ObjectMetadata: Sendable {
  package let encoded: EncodedMetadata
  /// The unit of the session estimate, whose fitness depends on the sample.
  let sessionEstimateUnit: String?

  init(_ encoded: EncodedMetadata) {
    self.encoded = encoded
    sessionEstimateUnit = Self.sessionEstimateUnit(encoded.values)
  }

  /// Checks what Apple checks when an object is made.
  package convenience init(_ dictionary: [String: Any]) throws(HKValidationError) {
    try self.init(checking: try Self.values(dictionary))
  }

  /// As `init(_:)`, of values that are already what the store keeps.
  package convenience init(values: [String: MetadataValue]) throws(HKValidationError) {
    for (key, value) in values { try MetadataKind.check(value, forKey: key) }
    try self.init(checking: values)
  }

  /// Checks what a dictionary as a whole must satisfy.
  init(checking values: [String: MetadataValue]) throws(HKValidationError) {
    encoded = EncodedMetadata(values, sync: try Self.sync(values))
    sessionEstimateUnit = Self.sessionEstimateUnit(values)
  }

  private static func sessionEstimateUnit(_ values: [String: MetadataValue]) -> String? {
    guard case .quantity(_, let unit)? = values[HKMetadataKeySessionEstimate] else { return nil }
    return unit
  }

  /// Checks each value on its own.
  static func values(_ dictionary: [String: Any]) throws(HKValidationError) -> [String: MetadataValue] {
    var values: [String: MetadataValue] = [:]
    for (key, object) in dictionary {
      let value = try MetadataValue(object, forKey: key)
      try MetadataKind.check(value, forKey: key)
      values[key] = value
    }
    return values
  }

  /// nil for no metadata at all.
  static func validated(_ dictionary: [String: Any]?) throws(HKValidationError) -> ObjectMetadata? {
    guard let dictionary else { return nil }
    if let known = CheckedMetadata.known(dictionary) { return known }
    let metadata = try ObjectMetadata(dictionary)
    CheckedMetadata.remember(metadata, of: dictionary)
    return metadata
  }

  /// As the values' documented classes: String, NSNumber, Date, HKQuantity.
  var dictionary: [String: Any] { encoded.values.mapValues(\.object) }

  private static func sync(_ values: [String: MetadataValue]) throws(HKValidationError) -> EncodedMetadata
    .Sync?
  {
    switch (values[HKMetadataKeySyncIdentifier], values[HKMetadataKeySyncVersion]) {
    case (nil, nil):
      return nil
    case (.string(let identifier), .integer(let version)):
      return EncodedMetadata.Sync(identifier: identifier, version: version)
    case (.string, .double(let version)):
      guard let version = Int64(exactly: version),
        case .string(let identifier)? = values[HKMetadataKeySyncIdentifier]
      else { throw HKValidationError("\(HKMetadataKeySyncVersion) must be a whole number") }
      return EncodedMetadata.Sync(identifier: identifier, version: version)
    case (nil, _), (_, nil):
      throw HKValidationError(
        "\(HKMetadataKeySyncIdentifier) and \(HKMetadataKeySyncVersion) require each other")
    default:
      throw HKValidationError(
        "\(HKMetadataKeySyncIdentifier) must be a String and \(HKMetadataKeySyncVersion) a whole number")
    }
  }
}
