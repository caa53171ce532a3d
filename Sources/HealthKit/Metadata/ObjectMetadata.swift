import Foundation
package import HealthStorage
import Synchronization

/// A checked and encoded metadata dictionary, shared by all samples that use it.
///
/// A program that creates many samples with the same metadata creates one instance, to which each sample has
/// a reference.
package final class ObjectMetadata: Sendable {
  package let encoded: EncodedMetadata
  /// The unit of the value of `HKMetadataKeySessionEstimate`. The sample checks that it fits the sample's
  /// type.
  let sessionEstimateUnit: String?

  init(_ encoded: EncodedMetadata) {
    self.encoded = encoded
    sessionEstimateUnit = Self.sessionEstimateUnit(encoded.values)
  }

  /// Creates metadata from a dictionary, with the checks that Apple's framework makes when it creates an
  /// object.
  package convenience init(_ dictionary: [String: Any]) throws(HKValidationError) {
    try self.init(checking: try Self.values(dictionary))
  }

  /// Creates metadata from values in the store's form, with the same checks as `init(_:)`.
  package convenience init(values: [String: MetadataValue]) throws(HKValidationError) {
    for (key, value) in values { try MetadataKind.check(value, forKey: key) }
    try self.init(checking: values)
  }

  /// Creates metadata from values that have already been checked individually. Checks the rules that involve
  /// several keys.
  init(checking values: [String: MetadataValue]) throws(HKValidationError) {
    encoded = EncodedMetadata(values, sync: try Self.sync(values))
    sessionEstimateUnit = Self.sessionEstimateUnit(values)
  }

  private static func sessionEstimateUnit(_ values: [String: MetadataValue]) -> String? {
    guard case .quantity(_, let unit)? = values[HKMetadataKeySessionEstimate] else { return nil }
    return unit
  }

  /// Converts a dictionary and checks each value.
  static func values(_ dictionary: [String: Any]) throws(HKValidationError) -> [String: MetadataValue] {
    var values: [String: MetadataValue] = [:]
    for (key, object) in dictionary {
      let value = try MetadataValue(object, forKey: key)
      try MetadataKind.check(value, forKey: key)
      values[key] = value
    }
    return values
  }

  /// Checks a metadata dictionary. Returns nil for nil.
  static func validated(_ dictionary: [String: Any]?) throws(HKValidationError) -> ObjectMetadata? {
    guard let dictionary else { return nil }
    if let known = CheckedMetadata.known(dictionary) { return known }
    let metadata = try ObjectMetadata(dictionary)
    CheckedMetadata.remember(metadata, of: dictionary)
    return metadata
  }

  /// The metadata with values of the documented classes: String, NSNumber, Date and HKQuantity.
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

/// A cache for the last metadata dictionary that was checked. Programs often pass the same dictionary for
/// many samples.
enum CheckedMetadata {
  // @unchecked: the dictionary contains only immutable values, because `remember` stores no others.
  private struct Last: @unchecked Sendable {
    let dictionary: [String: Any]
    let metadata: ObjectMetadata
  }

  private static let last = Mutex<Last?>(nil)

  /// Returns the checked metadata if a dictionary is the last one that was checked. Returns nil for any other
  /// dictionary, even an equal one.
  ///
  /// Two dictionaries are the same if they share their storage. The cache retains the storage, and
  /// copy-on-write prevents changes to it while it is shared.
  static func known(_ dictionary: [String: Any]) -> ObjectMetadata? {
    last.withLockIfAvailable { last in
      guard let last, storage(last.dictionary) == storage(dictionary) else { return nil }
      return last.metadata
    } ?? nil
  }

  /// Caches checked metadata, unless a value is mutable.
  static func remember(_ metadata: ObjectMetadata, of dictionary: [String: Any]) {
    guard dictionary.values.allSatisfy(isImmutable) else { return }
    let checked = Last(dictionary: dictionary, metadata: metadata)
    last.withLockIfAvailable { $0 = checked }
  }

  /// Returns whether a value is immutable, unlike an NSMutableString.
  private static func isImmutable(_ value: Any) -> Bool {
    !(type(of: value) is AnyClass) || value is NSNumber || value is HKQuantity || value is NSDate
  }

  /// Returns the address of a dictionary's storage. On Linux a dictionary is a single reference.
  private static func storage(_ dictionary: [String: Any]) -> UInt? {
    guard MemoryLayout<[String: Any]>.size == MemoryLayout<UInt>.size else { return nil }
    return unsafeBitCast(dictionary, to: UInt.self)
  }
}
