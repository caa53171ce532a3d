public import Foundation

/// A FHIR resource as sent by an institution. Read-only. Resources are equal if all their values are equal.
// @unchecked: the class is open, like Apple's. All state is `let` and Sendable.
open class HKFHIRResource: NSObject, HKArchivable, NSCopying, @unchecked Sendable {
  public let fhirVersion: HKFHIRVersion
  public let resourceType: HKFHIRResourceType
  /// The identifier, unique among the resources of one type and institution.
  public let identifier: String
  /// The resource as JSON.
  public let data: Data
  /// The URL the resource was loaded from.
  public let sourceURL: URL?

  /// Creates a resource.
  /// - Parameters:
  ///   - resourceType: Must not be empty.
  ///   - identifier: Must not be empty.
  ///   - data: The resource as JSON. It is not parsed here, but must not be empty.
  package init(
    fhirVersion: HKFHIRVersion, resourceType: HKFHIRResourceType, identifier: String, data: Data,
    sourceURL: URL?
  ) throws(HKValidationError) {
    guard !resourceType.rawValue.isEmpty, !identifier.isEmpty, !data.isEmpty else {
      throw HKValidationError("a FHIR resource needs a type, an identifier and data")
    }
    self.fhirVersion = fhirVersion
    self.resourceType = resourceType
    self.identifier = identifier
    self.data = data
    self.sourceURL = sourceURL
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKFHIRResource else { return false }
    return other.fhirVersion == fhirVersion && other.resourceType == resourceType
      && other.identifier == identifier && other.data == data && other.sourceURL == sourceURL
  }

  open override var hash: Int { identifier.hashValue }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(fhirVersion, forKey: ArchiveKey.fhirVersion)
    coder.encode(resourceType.rawValue as NSString, forKey: ArchiveKey.resourceType)
    coder.encode(identifier as NSString, forKey: ArchiveKey.identifier)
    coder.encode(data as NSData, forKey: ArchiveKey.data)
    coder.encode(sourceURL.map { $0.absoluteString as NSString }, forKey: ArchiveKey.sourceURL)
  }

  public required convenience init?(coder: NSCoder) {
    guard let version = coder.object(HKFHIRVersion.self, forKey: ArchiveKey.fhirVersion),
      let type = coder.text(forKey: ArchiveKey.resourceType),
      let identifier = coder.text(forKey: ArchiveKey.identifier),
      let data = coder.data(forKey: ArchiveKey.data)
    else { return nil }
    try? self.init(
      fhirVersion: version, resourceType: HKFHIRResourceType(rawValue: type), identifier: identifier,
      data: data, sourceURL: coder.text(forKey: ArchiveKey.sourceURL).flatMap(URL.init(string:)))
  }

  private enum ArchiveKey {
    static let fhirVersion = "fhirVersion"
    static let resourceType = "resourceType"
    static let identifier = "identifier"
    static let data = "data"
    static let sourceURL = "sourceURL"
  }
}
