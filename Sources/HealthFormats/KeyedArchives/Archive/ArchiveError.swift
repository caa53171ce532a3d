/// An error in a keyed archive, with its position in the file.
public struct ArchiveError: Error, Hashable, Sendable {
  /// The kind of error.
  public enum Reason: Hashable, Sendable {
    /// The bytes are not a binary property list, or the property list is not a keyed archive.
    case notAnArchive
    /// The archive is an XML property list, which is not supported.
    case xmlIsNotSupported
    /// A field violates the format. The text names the field.
    case malformed(String)
    /// The archive exceeds one of the `ArchiveLimits`. The text names the limit.
    case limitExceeded(String)
    /// The class is neither in the caller's table nor one of the supported Foundation classes.
    case unknownClass(String)
    /// The class that decodes the value does not allow this class.
    case unexpectedClass(String)
    /// The class does not support secure coding.
    case insecureClass(String)
    /// An object contains itself.
    case cycle
    /// A class decoded an object without naming the allowed classes, or called a method that keyed archives
    /// do not support.
    case unsupportedDecoding
    /// The value of this key does not have the type that the decoding class requested.
    case wrongKind(key: String)
    /// The object's `init(coder:)` returned nil. The text is the class name in the archive.
    case refused(String)
  }

  /// The kind of error.
  public var reason: Reason
  /// The position of the invalid object in the file, in bytes.
  public var offset: Int

  public init(_ reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension ArchiveError: CustomStringConvertible {
  public var description: String {
    switch reason {
    case .notAnArchive: "the data is not a keyed archive"
    case .xmlIsNotSupported: "XML keyed archives are not supported"
    case .malformed(let what): "the keyed archive is malformed at byte \(offset): \(what)"
    case .limitExceeded(let what): "the keyed archive exceeds a limit at byte \(offset): \(what)"
    case .unknownClass(let name):
      "the keyed archive has an object of the unknown class \(name) at byte \(offset)"
    case .unexpectedClass(let name):
      "the keyed archive has an object of the class \(name) at byte \(offset), which was not expected there"
    case .insecureClass(let name):
      "the keyed archive has an object of the class \(name) at byte \(offset), which does not support "
        + "secure coding"
    case .cycle: "the object at byte \(offset) of the keyed archive contains itself"
    case .unsupportedDecoding:
      "the object at byte \(offset) of the keyed archive must be decoded with its expected classes"
    case .wrongKind(let key):
      "the value for the key \(key) at byte \(offset) of the keyed archive has another type"
    case .refused(let name): "the class \(name) rejected the object at byte \(offset) of the keyed archive"
    }
  }
}

/// Limits for the resources that an archive can use. Without them, a small malicious archive could use a lot
/// of time or memory.
public struct ArchiveLimits: Hashable, Sendable {
  /// Maximum size of the archive in bytes. It is also the maximum total size of all decoded strings and data.
  public var bytes = 64 << 20
  /// Maximum number of objects in the property list, including strings and numbers.
  public var objects = 1_000_000
  /// Maximum nesting of objects. Decoding is recursive, and the stack of a thread may be small.
  public var depth = 64
  /// Maximum number of objects that a traversal of the decoded object visits. An object that is referenced
  /// several times counts each time.
  public var visits = 4_000_000
  /// Maximum number of elements in a set, or of entries in a dictionary. An attacker can choose elements with
  /// equal hashes, and inserting those takes quadratic time.
  public var uniqueElements = 10_000

  public init() {}
}
