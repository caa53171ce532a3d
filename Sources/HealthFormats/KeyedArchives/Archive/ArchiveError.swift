/// Why an archive cannot be read, and where.
public struct ArchiveError: Error, Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// The bytes are no binary property list, or the property list is no keyed archive.
    case notAnArchive
    /// The archive is written as XML, for which there is no reader here.
    case xmlIsNotSupported
    /// A field contradicts the format; the text names the field.
    case malformed(String)
    /// The archive asks for more than `ArchiveLimits` grants; the text names what.
    case limitExceeded(String)
    /// Neither the caller's table nor the Foundation values read here have a class of this name.
    case unknownClass(String)
    /// The archive holds an object of this class where only others may stand.
    case unexpectedClass(String)
    /// The class of this name does not declare that it decodes securely.
    case insecureClass(String)
    /// An object is part of itself.
    case cycle
    /// Something was decoded without saying which classes it may have, or in a way that keyed archives do not
    /// know.
    case unsupportedDecoding
    /// The value of this key is of another kind than the one asked for.
    case wrongKind(key: String)
    /// The object's own `init(coder:)` refused what the archive holds; the text is the class's name in the
    /// archive.
    case refused(String)
  }

  public var reason: Reason
  /// Where in the archive the damaged object begins, in bytes.
  public var offset: Int

  public init(_ reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension ArchiveError: CustomStringConvertible {
  public var description: String {
    switch reason {
    case .notAnArchive: "not a keyed archive"
    case .xmlIsNotSupported: "XML keyed archives are not supported"
    case .malformed(let what): "malformed at byte \(offset): \(what)"
    case .limitExceeded(let what): "too large at byte \(offset): \(what)"
    case .unknownClass(let name): "unknown class \(name) at byte \(offset)"
    case .unexpectedClass(let name): "unexpected class \(name) at byte \(offset)"
    case .insecureClass(let name): "class \(name) at byte \(offset) does not support secure coding"
    case .cycle: "the object at byte \(offset) contains itself"
    case .unsupportedDecoding: "the object at byte \(offset) was asked for without naming its classes"
    case .wrongKind(let key): "the value of \(key) at byte \(offset) is of another kind"
    case .refused(let name): "the class \(name) refused the object at byte \(offset)"
    }
  }
}
